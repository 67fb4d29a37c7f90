//! Explicit tasks inside of regions while nobody listens: the quick way to keep the same words as [`explicit_task`] does.
//!
//! Each step says so, having done nothing, where there is more to do: then it is up to the other module.
//!
//! [`explicit_task`]: crate::explicit_task

use crate::explicit_task::{CREATION_EVENTS, EXECUTION_EVENTS};
use crate::dispatch::armed;
use crate::state::State;
use crate::task::Task;
use crate::thread::Thread;

/// A creation that nobody has heard of.
#[derive(Clone, Copy, Debug)]
#[must_use = "a creation that began has to end"]
pub struct QuietCreation {
    now: u64,
    depth: usize,
}

/// The task that is suspended while another one runs inside of its own quiet creation, whose end sets the rest.
#[derive(Clone, Copy, Debug)]
#[must_use = "a task that began has to end"]
pub struct SuspendedCreator {
    task: Option<&'static Task>,
    stack: usize,
}

/// A task that is suspended while a queued one runs.
#[derive(Clone, Copy, Debug)]
#[must_use = "a task that began has to end"]
pub struct QuietlySuspended {
    now: u64,
    task: Option<&'static Task>,
    depth: usize,
    stack: usize,
}

impl Thread {
    /// This, the calling thread, is about to create a task quietly, from the work of a region: its record. `stack` is the
    /// caller's stack pointer.
    #[inline(always)]
    pub fn prepare_quiet_creation(&'static self, stack: usize) -> Option<(QuietCreation, Task)> {
        let creation = QuietCreation { now: self.now(), depth: self.depth() };
        if creation.depth <= stack || !Self::works(creation.now) || armed(CREATION_EVENTS) {
            return None;
        }
        Some((creation, self.new_task_at_hand()?))
    }

    /// It starts to create the task, in the frame at that stack address.
    #[inline(always)]
    pub fn begin_quiet_creation(&'static self, creation: QuietCreation, stack: usize) {
        self.set_depth(stack);
        self.set_now(Self::in_state(creation.now, State::TaskCreate));
    }

    /// The task is created, and may have run.
    #[inline(always)]
    pub fn end_quiet_creation(&'static self, creation: QuietCreation) {
        self.set_depth(creation.depth);
        self.set_now(creation.now);
    }

    /// The task runs inside of its quiet creation, in the frame at that stack address.
    #[inline(always)]
    pub fn begin_quiet_task_at_once(&'static self, stack: usize, task: &'static Task) -> Option<SuspendedCreator> {
        if armed(EXECUTION_EVENTS) {
            return None;
        }
        let suspended = SuspendedCreator { task: self.current_task(), stack: self.task_stack() };
        self.set_current_task(Some(task));
        self.set_task_stack(stack);
        self.set_depth(stack);
        self.set_now(Self::in_state(self.now(), State::WorkParallel));
        Some(suspended)
    }

    /// The end of [`begin_quiet_task_at_once`](Self::begin_quiet_task_at_once).
    #[inline(always)]
    pub fn end_quiet_task_at_once(&'static self, suspended: SuspendedCreator) {
        self.set_task_stack(suspended.stack);
        self.set_current_task(suspended.task);
    }

    /// This, the calling thread, executes a queued task from now on, in the frame at that stack address.
    #[inline(always)]
    pub fn begin_quiet_task(&'static self, stack: usize, task: &'static Task) -> Option<QuietlySuspended> {
        let now = self.now();
        if armed(EXECUTION_EVENTS) || !Self::is_in_region(now) || Self::executes_nothing(now) {
            return None;
        }
        let suspended =
            QuietlySuspended { now, task: self.current_task(), depth: self.depth(), stack: self.task_stack() };
        // A handler never sees the new task wait for what the suspended one waits for.
        self.set_now(Self::in_state(now, State::Overhead));
        self.set_current_task(Some(task));
        self.set_task_stack(stack);
        self.set_depth(stack);
        self.set_now(Self::in_state(now, State::WorkParallel));
        Some(suspended)
    }

    /// The end of [`begin_quiet_task`](Self::begin_quiet_task).
    #[inline(always)]
    pub fn end_quiet_task(&'static self, suspended: QuietlySuspended) {
        self.set_now(Self::in_state(suspended.now, State::Overhead));
        self.set_task_stack(suspended.stack);
        self.set_current_task(suspended.task);
        self.set_depth(suspended.depth);
        self.set_now(suspended.now);
    }
}
