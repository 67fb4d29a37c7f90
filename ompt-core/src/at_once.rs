//! Tasks that run immediately (undeferred), as their collector has requested (`answer`): counted, stamped, and without reports of waits for
//! nothing.

use crate::answer::{Answers, COUNT_WAITS, STAMP_NS, STAMPS};
use crate::dispatch;
use crate::fast_task::FastTasks;
use crate::interface::Interface;
use crate::tls;
use system::arch::counter_in_order;
use system::clock::monotonic_ns;

/// Stages of a task that runs immediately, in the order of their stamps.
pub mod stage {
    /// The runtime is about to be called to create the task.
    pub const CREATED: usize = 0;
    /// The runtime has started to run it.
    pub const ENTERED: usize = 1;
    /// Its body is about to start; also used for a region, on the thread that has begun it.
    pub const BEGUN: usize = 2;
    /// Its body has returned.
    pub const DONE: usize = 3;
}

impl FastTasks {
    /// The kinds of this thread's events that the only session that is subscribed to anything wants to be counted.
    #[inline(always)]
    pub(crate) fn to_count(self) -> usize {
        let (kinds, epoch) = self.thread.answers.counts();
        if kinds != 0 && dispatch::is_sole(Interface::Ora, epoch) { kinds } else { 0 }
    }

    /// [`to_count`](Self::to_count), for a caller whose own frame is to stay small: tasks nest on the stack.
    #[inline(never)]
    fn to_count_out_of_line(self) -> usize {
        self.to_count()
    }

    /// Stamps a stage of the creation that the thread is in, if its collector asks for that. Returns the clock for
    /// further stages.
    #[inline(always)]
    pub fn stamp_creation<const STAGE: usize>(self) -> Clock {
        let clock = Clock(self.thread.answers.creation() & STAMPS);
        clock.stamp::<STAGE>();
        clock
    }

    /// Called when the thread begins a task in the frame at that stack address. Returns what [`end_childless`](Self::end_childless)
    /// restores.
    #[inline(always)]
    pub fn begin_childless(self, stack: usize) -> usize {
        self.begin_childless_with(stack, self.to_count_out_of_line())
    }

    /// [`begin_childless`](Self::begin_childless), given [`to_count`](Self::to_count).
    #[inline(always)]
    pub(crate) fn begin_childless_with(self, stack: usize, to_count: usize) -> usize {
        let outer = self.thread.answers.childless();
        self.thread.answers.set_childless(if to_count & COUNT_WAITS != 0 { stack } else { 0 });
        outer
    }

    /// Called when that task ends. If something was queued in it, an enclosing task may wait for that.
    #[inline(always)]
    pub fn end_childless(self, outer: usize) {
        if self.thread.answers.childless() != 0 {
            self.thread.answers.set_childless(outer);
        }
    }

    /// Records that the current task has queued another one, or may have.
    #[inline(always)]
    pub fn note_queued(self) {
        self.thread.answers.set_childless(0);
    }

    /// The number of tasks that the thread has counted, for [`note_unless_counted`](Self::note_unless_counted).
    #[inline(always)]
    pub fn counted(self) -> u64 {
        self.thread.activity.published().tasks()
    }

    /// Called after a task's creation, with the number before it: a task that was not counted may have been queued.
    #[inline(always)]
    pub fn note_unless_counted(self, before: u64) {
        if self.thread.answers.childless() != 0 && self.counted() == before {
            self.note_queued();
        }
    }

    /// True if a taskwait of the current task has nothing to wait for, and such waits are to be counted.
    #[inline(always)]
    pub(crate) fn waits_for_nothing(self) -> bool {
        let childless = self.thread.answers.childless();
        childless != 0 && childless == self.thread.current.task_stack() && self.to_count() & COUNT_WAITS != 0
    }
}

/// The clock by which a task's stages are stamped: one of the answers, or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock(usize);

impl Clock {
    /// No stage is stamped.
    pub const NONE: Self = Self(0);

    /// The clock that the thread's collector has requested for the body of the region that the thread has begun.
    #[inline(always)]
    pub(crate) fn of_body(answers: &Answers) -> Self {
        Self(answers.take_body())
    }

    /// Stamps that stage of the task with the current time.
    #[inline(always)]
    pub fn stamp<const STAGE: usize>(self) {
        if self != Self::NONE {
            self.read::<STAGE>();
        }
    }

    #[cold]
    #[inline(never)]
    fn read<const STAGE: usize>(self) {
        tls::set_stamp::<STAGE>(if self.0 & STAMP_NS != 0 { monotonic_ns() } else { counter_in_order() });
    }
}
