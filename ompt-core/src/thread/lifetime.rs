//! Start and end of a thread, and of its initial task.

use super::Thread;
use crate::detail::Detail;
use crate::event::{Event, Span};
use crate::interface::Interface;
use crate::packed_state::PackedState;
use crate::state::State;
use crate::unwinding::ABOVE_ALL;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// True from the report of the thread's start until that of its end.
pub(super) struct Announced(AtomicBool);

system::zeroed!(Announced { 0 });

impl Announced {
    /// Reinitialises the record for another thread.
    pub(super) fn renew(&self) {
        self.0.store(false, Relaxed);
    }

    fn set(&self) {
        self.0.store(true, Relaxed);
    }

    /// True if the thread's end, which is about to be reported, has to be.
    fn take(&self) -> bool {
        self.0.swap(false, Relaxed)
    }
}

impl Thread {
    /// Reports the start of the calling thread, and of its initial task if it has one.
    pub(super) fn announce(&'static self) {
        self.announced.set();
        let now = self.activity.overhead();
        self.raise(Event::ThreadBegin);
        self.activity.resume(now);
        if !self.identity.is_worker() {
            self.own_task.set_token(self.begin(Span::IMPLICIT_TASK));
        }
    }

    /// Reports these starts to one interface that was attached later than the others.
    pub fn announce_to(&'static self, interface: Interface) {
        self.raise_for(interface, Event::ThreadBegin, &Detail::None);
        let token = self.raise_for(interface, Event::ImplicitTaskBegin, &Detail::None);
        self.own_task.set_token(self.own_task.token().without(interface).or(token));
    }

    /// Reports the end of the calling thread, and of its initial task if it has one.
    pub fn retire(&'static self) {
        if !self.announced.take() {
            return;
        }
        if self.current.region().is_some() {
            // The process ends inside the region, and what is open there stays open.
            return;
        }
        if self.identity.is_worker() {
            // The Sun Collector API allows a worker to end while idle.
            self.end(Span::IDLE, self.open_spans.take_idle().without(Interface::Ora));
        } else {
            self.end(Span::IMPLICIT_TASK, self.own_task.take_token());
        }
        self.activity.set_state(State::Overhead);
        self.raise(Event::ThreadEnd);
    }

    /// Reports the end of this, the calling thread, which is a worker in the thread pool and no longer executes
    /// anything.
    pub fn retire_worker(&'static self) {
        self.team().leave_last_barrier();
        self.retire();
    }

    /// Ends everything that the thread has open when it ends, except a worker's idle span (Sun Collector API: it ends
    /// idle).
    pub(super) fn finish(&'static self) {
        // The thread has also left frames of callbacks for good.
        self.callback.release();
        if !self.activity.now().is_idle() {
            self.drop_stale(ABOVE_ALL);
        }
        self.constructs().close_all(self.task());
        self.answers.forget();
        self.mutexes.leave();
        if self.identity.is_worker() {
            self.team().leave_last_barrier();
            self.leave_team();
        }
        self.retire();
    }

    /// Ends the implicit task of a worker that ends inside a region.
    fn leave_team(&'static self) {
        if self.current.region().is_some() {
            self.team().end_last_barrier();
            self.team().end_implicit_task(self.own_task());
            self.current.set_region(None);
            self.activity.set_now(PackedState::new(0, State::Overhead));
        }
    }
}
