//! Transitions of a thread that encounters a parallel region: entering and leaving it.

use super::{Encounter, Form, Region};
use crate::dispatch::Token;
use crate::event::Span;
use crate::packed_state::PackedState;
use crate::state::State;
use crate::task::flag;
use crate::thread::Thread;
use crate::tls;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering::*};
use system::arch::stack_pointer;

/// The last id that was given to a region. Ids are dense and start at 1.
static LAST_ID: AtomicU64 = AtomicU64::new(0);

/// Transitions of a thread, the calling one, that encounters regions.
#[derive(Clone, Copy)]
pub struct Regions {
    pub(super) thread: &'static Thread,
}

impl Thread {
    /// The transitions of the regions that it encounters.
    #[inline(always)]
    pub fn regions(&'static self) -> Regions {
        Regions { thread: self }
    }
}

impl Regions {
    /// Begins the encounter of a parallel construct on this, the calling thread: the new region is current and the
    /// state is overhead. `None` if the system refuses memory: the region is then not reported. [`begin`](Self::begin)
    /// follows.
    #[inline(always)]
    pub fn encounter(self, form: Form, encounter: Encounter) -> Option<&'static Region> {
        let thread = self.thread;
        thread.drop_stale(stack_pointer());
        thread.current.enter_runtime(encounter.call);
        let region = thread.unused_regions.take(&thread.identity)?;
        // Before the first write to the record: a locked instruction waits for all writes before it.
        let id = LAST_ID.fetch_add(1, Relaxed) + 1;
        // Ends the record's generation first: a worker that reports its exit from the previous region compares ids.
        region.id.end();
        self.note_before(region);
        region.stack.store(if form == Form::Call { stack_pointer() } else { usize::MAX }, Relaxed);
        region.creator.store(0, Relaxed);
        region.return_address.store(encounter.call.return_address, Relaxed);
        region.frame.store(encounter.call.frame, Relaxed);
        region.function.store(encounter.function, Relaxed);
        region.requested.store(encounter.requested, Relaxed);
        region.size.store(0, Relaxed);
        region.members.store(0, Relaxed);
        region.data.store(0, Relaxed);
        region.task.reset();
        thread.current.set_implicit_task(&region.task);
        region.id.begin(id);
        // Release: pairs with the load in `is_open`; publishes the record's new contents.
        region.open.store(id, Release);
        if form == Form::Call {
            thread.current.set_depth(region.stack());
        }
        self.push(region, id);
        Some(region)
    }

    /// Saves the thread's state before it enters a region.
    #[inline(always)]
    pub(super) fn note_before(self, region: &'static Region) {
        let thread = self.thread;
        region.enclosing.set(thread.current.region());
        region.before.now.store(thread.activity.now().bits(), Relaxed);
        region.before.wait.store(thread.activity.wait_id(), Relaxed);
        region.before.depth.store(thread.current.depth(), Relaxed);
        region.before.task.set(Some(thread.task()));
    }

    /// Begins the implicit task of the primary thread in the region. Not called by an adapter whose runtime reports
    /// implicit tasks itself.
    #[inline(always)]
    pub fn start_implicit_task(self, region: &'static Region) {
        let thread = self.thread;
        let encountering = thread.current.task().unwrap_or(&thread.own_task().task);
        region.creator.store(thread.task_ids.id_of(encountering), Relaxed);
        region.before.task_stack.store(thread.current.task_stack(), Relaxed);
        region.before.current.set(Some(encountering));
        region.task.task.renew(region.creator());
        if region.has_call_site() {
            region.task.task.renew_reported(flag::IMPLICIT, Some(encountering));
        }
        thread.current.set_task_stack(usize::MAX);
        thread.current.set_task(Some(&region.task.task));
    }

    /// Raises the region's start event.
    #[inline]
    pub fn begin(self, region: &'static Region) {
        let thread = self.thread;
        thread.reporting.set_region(region.id());
        region.token.store(thread.begin(Span::PARALLEL).bits(), Relaxed);
        thread.reporting.set_region(0);
    }

    /// Ends the region on this, its primary thread: raises the end of the last barrier and the region's end, and
    /// restores the thread's state before the region.
    #[inline(never)]
    pub fn end(self, region: &'static Region) {
        // Release: pairs with the load in `is_open`, of a thread that has not left the last barrier yet.
        region.open.store(0, Release);
        if region.has_call_site() {
            region.task.task.frame.clear();
            tls::set_call(region.call());
        }
        self.thread.team().end_last_barrier();
        self.close(region);
        self.thread.unused_regions.put(region);
    }

    /// Makes the enclosing region current again, without a report. The record is not put on the free list.
    #[inline]
    pub(crate) fn leave(self, region: &'static Region) {
        let thread = self.thread;
        if !thread.current.region().is_some_and(|current| ptr::eq(current, region)) {
            return self.take_out(region);
        }
        thread.current.set_implicit_task(region.before.task.get().unwrap_or(thread.own_task()));
        thread.current.set_depth(region.before.depth.load(Relaxed));
        thread.activity.set_wait_id(region.before.wait.load(Relaxed));
        thread.activity.set_now(PackedState::from_bits(region.before.now.load(Relaxed)));
        thread.current.set_region(region.enclosing.get());
    }

    /// Takes a region out of those that the current one is inside of: coroutines may end regions in another order than they began them.
    #[cold]
    fn take_out(self, region: &'static Region) {
        let mut inner = self.thread.current.region();
        while let Some(other) = inner {
            inner = other.enclosing();
            if inner.is_some_and(|outer| ptr::eq(outer, region)) {
                return other.enclosing.set(region.enclosing());
            }
        }
    }

    /// Ends a region whose frame is gone.
    pub(crate) fn abandon(self, region: &'static Region) {
        if region.is_league() {
            self.end_team(region);
            return self.leave_league(region);
        }
        if region.non_parallel_number() != 0 {
            return self.leave_target(region);
        }
        // Release: pairs with the load in `is_open`, of a thread that has not left the last barrier yet.
        region.open.store(0, Release);
        if region.has_call_site() {
            region.task.task.frame.clear();
        }
        self.close(region);
    }

    /// Reports the ends of the implicit task and the region, the last steps of a region's end. The task that
    /// encountered the region is current again.
    #[inline(always)]
    fn close(self, region: &'static Region) {
        let thread = self.thread;
        thread.activity.set_state(State::Overhead);
        thread.team().end_implicit_task(&region.task);
        if region.creator() != 0 {
            thread.current.set_task(region.encountering_task());
            thread.current.set_task_stack(region.before.task_stack.load(Relaxed));
        }
        thread.reporting.set_region(region.id());
        thread.end(Span::PARALLEL, Token::from_bits(region.token.load(Relaxed)));
        thread.reporting.set_region(0);
        thread.current.leave_runtime(region.call());
        self.leave(region);
    }

    /// Makes the region current, with the state overhead.
    #[inline]
    pub(crate) fn push(self, region: &'static Region, id: u64) {
        self.thread.current.set_region(Some(region));
        self.thread.activity.set_now(PackedState::new(id, State::Overhead));
    }
}
