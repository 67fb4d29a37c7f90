//! Begin and end of a thread, and of its initial task.

use super::Thread;
use crate::callback_pin::CallbackPin;
use crate::detail::Detail;
use crate::event::{Event, Span};
use crate::interface::{Interface, Token};
use crate::packed_state::PackedState;
use crate::state::State;
use std::sync::atomic::Ordering::Relaxed;

impl Thread {
    /// Reports the begin of the thread, which is the calling one, and of its initial task if it has one.
    pub(super) fn announce(&'static self) {
        self.announced.store(true, Relaxed);
        let now = self.overhead();
        self.raise(Event::ThreadBegin);
        self.resume(now);
        if !self.is_worker() {
            self.own_task.token.store(self.begin(Span::IMPLICIT_TASK).bits(), Relaxed);
        }
    }

    /// Reports the same begins to one interface that was attached later than the others.
    pub fn announce_to(&'static self, interface: Interface) {
        self.raise_for(interface, Event::ThreadBegin, &Detail::None);
        let token = self.raise_for(interface, Event::ImplicitTaskBegin, &Detail::None);
        let others = Token::from_bits(self.own_task.token.load(Relaxed)).without(interface);
        self.own_task.token.store(others.bits() | token.bits(), Relaxed);
    }

    /// Reports the end of the calling thread, and of its initial task if it has one.
    pub fn retire(&'static self) {
        if !self.announced.swap(false, Relaxed) {
            return;
        }
        if self.region().is_some() {
            // The process ends inside of the region, and what is open there stays open.
            return;
        }
        if self.is_worker() {
            // The Sun Collector API lets a worker end idle.
            self.end(Span::IDLE, Token::from_bits(self.idle.swap(0, Relaxed)).without(Interface::Ora));
        } else {
            self.end(Span::IMPLICIT_TASK, Token::from_bits(self.own_task.token.swap(0, Relaxed)));
        }
        self.set_state(State::Overhead);
        self.raise(Event::ThreadEnd);
    }

    /// Ends all that the thread has open when it ends, except a worker's idle span (Sun Collector API: it ends idle).
    pub(super) fn finish(&'static self) {
        // Frames of callbacks, too, are left for good.
        self.pins.iter().for_each(CallbackPin::release);
        if !self.now().is_idle() {
            self.drop_stale(usize::MAX - 1);
        }
        self.close_task(self.task());
        self.answers.forget();
        self.mutexes().leave();
        if self.is_worker() {
            self.leave_last_barrier();
            self.leave_team();
        }
        self.retire();
    }

    /// Ends the implicit task of a worker that ends inside of a region.
    fn leave_team(&'static self) {
        if self.region().is_some() {
            self.end_last_barrier();
            self.end_implicit_task(self.own_task());
            self.pop_region(None);
            self.set_now(PackedState::new(0, State::Overhead));
        }
    }
}
