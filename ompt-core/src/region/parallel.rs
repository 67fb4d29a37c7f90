//! The transitions of a thread that encounters a parallel region: it enters and leaves it.

use super::{Encounter, Form, Region};
use crate::dispatch::Token;
use crate::event::Span;
use crate::packed_state::PackedState;
use crate::state::State;
use crate::task::flag;
use crate::thread::Thread;
use crate::tls;
use std::sync::atomic::{AtomicU64, Ordering::*};
use system::arch::stack_pointer;
use system::memory::page;

/// The last id that was given to a region. Ids are dense and start at 1.
static LAST_ID: AtomicU64 = AtomicU64::new(0);

impl Thread {
    /// Begins the encounter of a parallel construct on this, the calling thread: the new region is current and the
    /// state is overhead. `None` when there is no memory: the region then goes unreported.
    /// [`begin_region`](Self::begin_region) is next.
    #[inline(always)]
    pub fn new_region(&'static self, form: Form, encounter: Encounter) -> Option<&'static Region> {
        self.drop_stale(stack_pointer());
        self.enter_runtime(encounter.call);
        let region = self.unused_region()?;
        // Ends the record's generation first: a worker that reports its exit from the region before compares ids.
        region.id.end();
        let id = LAST_ID.fetch_add(1, Relaxed) + 1;
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
        self.set_task(&region.task);
        region.id.begin(id);
        // Release: pairs with the load in `is_open`; publishes the record's new contents.
        region.open.store(id, Release);
        if form == Form::Call {
            self.set_depth(region.stack());
        }
        self.push_region(region, id);
        Some(region)
    }

    /// Saves the thread's state before it enters a region.
    #[inline(always)]
    pub(super) fn note_before(&'static self, region: &'static Region) {
        region.parent.store(self.region_id(), Relaxed);
        region.enclosing.set(self.region());
        region.before.now.store(self.now().bits(), Relaxed);
        region.before.wait.store(self.wait_id(), Relaxed);
        region.before.depth.store(self.depth(), Relaxed);
        region.before.task.set(Some(self.task()));
    }

    /// Begins the implicit task of the primary thread in the region. An adapter whose runtime reports implicit tasks
    /// itself doesn't call this.
    #[inline(always)]
    pub fn start_implicit_task(&'static self, region: &'static Region) {
        let encountering = self.current_task().unwrap_or(&self.own_task().task);
        region.creator.store(self.id_of(encountering), Relaxed);
        region.before.task_stack.store(self.task_stack(), Relaxed);
        region.before.current.set(Some(encountering));
        region.task.task.renew(region.creator());
        if region.has_call_site() {
            region.task.task.renew_reported(flag::IMPLICIT, Some(encountering));
        }
        self.set_task_stack(usize::MAX);
        self.set_current_task(Some(&region.task.task));
    }

    /// Raises the region's begin.
    #[inline]
    pub fn begin_region(&'static self, region: &'static Region) {
        self.set_reporting(region.id());
        region.token.store(self.begin(Span::PARALLEL).bits(), Relaxed);
        self.set_reporting(0);
    }

    /// Ends the region on this, its primary thread: raises the end of the last barrier and the region's end, and
    /// restores the thread's state before the region.
    #[inline(never)]
    pub fn end_region(&'static self, region: &'static Region) {
        // Release: pairs with the load in `is_open`, of a thread that has not left the last barrier yet.
        region.open.store(0, Release);
        if region.has_call_site() {
            region.task.task.frame.clear();
            tls::set_call(region.call());
        }
        self.end_last_barrier();
        self.close_region(region);
        region.next.set(self.unused().get());
        self.unused().set(Some(region));
    }

    /// Makes the enclosing region current again, without a report. The record is not put on the free list.
    #[inline]
    pub(crate) fn leave_region(&'static self, region: &'static Region) {
        self.set_task(region.before.task.get().unwrap_or(self.own_task()));
        self.set_depth(region.before.depth.load(Relaxed));
        self.set_wait_id(region.before.wait.load(Relaxed));
        self.set_now(PackedState::from_bits(region.before.now.load(Relaxed)));
        self.pop_region(region.enclosing.get());
    }

    /// Ends a region whose frame is gone.
    pub(crate) fn abandon_region(&'static self, region: &'static Region) {
        if region.is_league() {
            self.end_team(region);
            return self.leave_league(region);
        }
        if region.apart() != 0 {
            return self.leave_target(region);
        }
        // Release: pairs with the load in `is_open`, of a thread that has not left the last barrier yet.
        region.open.store(0, Release);
        if region.has_call_site() {
            region.task.task.frame.clear();
        }
        self.close_region(region);
    }

    /// Reports the ends of the implicit task and the region, the last steps of a region's end. The task that
    /// encountered the region is current again.
    #[inline(always)]
    fn close_region(&'static self, region: &'static Region) {
        self.set_state(State::Overhead);
        self.end_implicit_task(&region.task);
        if region.creator() != 0 {
            self.set_current_task(region.encountering_task());
            self.set_task_stack(region.before.task_stack.load(Relaxed));
        }
        self.set_reporting(region.id());
        self.end(Span::PARALLEL, Token::from_bits(region.token.load(Relaxed)));
        self.set_reporting(0);
        self.leave_runtime(region.call());
        self.leave_region(region);
    }

    #[inline]
    pub(super) fn unused_region(&'static self) -> Option<&'static Region> {
        let region = match self.unused().get() {
            Some(region) => region,
            None => self.more_regions()?,
        };
        self.unused().set(region.next.get());
        Some(region)
    }

    #[cold]
    fn more_regions(&'static self) -> Option<&'static Region> {
        for region in page::<Region>()? {
            region.primary.set(Some(self.identity()));
            region.next.set(self.unused().get());
            self.unused().set(Some(region));
        }
        self.unused().get()
    }
}
