//! Explicit tasks inside of regions: the fast path that maintains the same words as [`explicit_task`], while no tool is
//! subscribed to more than what OMPT tools register for tasks.
//!
//! Each step returns that it has done nothing where more has to be done: then the other module does it. `TOLD`: calls
//! are reported, so that there are frames to set, and switches to report. The code for that is only there where it is
//! true.
//!
//! [`explicit_task`]: crate::explicit_task

use crate::detail::Status;
use crate::dispatch::{Token, armed};
use crate::event::{Event, EventSet};
use crate::explicit_task::{CREATION_EVENTS, Creation, EXECUTION_EVENTS, Suspended};
use crate::packed_state::PackedState;
use crate::state::State;
use crate::task::{Named, Task, flag};
use crate::thread::Thread;
use crate::tls;
use std::sync::atomic::Ordering::*;

/// A creation of which only the new task may be reported.
#[derive(Clone, Copy, Debug)]
#[must_use = "a creation that began has to end"]
pub struct QuietCreation {
    now: PackedState,
    depth: usize,
    creator: &'static Task,
}

impl QuietCreation {
    /// True if all tasks of the creator are included in it: it is a final task.
    #[inline(always)]
    pub fn is_in_final(&self) -> bool {
        self.creator.flags() & flag::FINAL != 0
    }
}

/// The task that is suspended while another one runs inside of its own creation, whose end restores the rest.
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
    now: PackedState,
    task: Option<&'static Task>,
    depth: usize,
    stack: usize,
    /// The sessions that were notified of the wait which the task interrupts.
    wait: Token,
}

/// All events of a task.
const TASK_EVENTS: EventSet =
    CREATION_EVENTS.union(EXECUTION_EVENTS).union(EventSet::of(&[Event::TaskCreate, Event::TaskSwitch]));

/// Unreported tasks of an adapter that sees begin and end in different calls, and stores the values of
/// [`explicit_task`](crate::explicit_task). Calls are not reported.
impl Thread {
    /// Begins the creation of an unreported task on this, the calling thread, in the frame at that stack address. The
    /// record is at its final address, and gets its id, parent and flags. `None`, and nothing done, where the general
    /// path is needed.
    #[inline(always)]
    pub fn begin_secret_creation(&'static self, stack: usize, task: &Task, flags: u32) -> Option<Creation> {
        let (now, depth) = (self.now(), self.depth());
        if depth <= stack || !now.works() || armed(TASK_EVENTS) {
            return None;
        }
        let creator = self.current_task()?;
        if !self.name_task_at_hand(creator, task, flags) {
            return None;
        }
        self.set_depth(stack);
        self.set_now(now.in_state(State::TaskCreate));
        Some(Creation::untold(now, depth))
    }

    /// Begins a new task that runs at once, inside of its creation, which this ends.
    #[inline(always)]
    pub fn begin_secret_task_at_once(
        &'static self,
        stack: usize,
        task: &'static Task,
        creation: Creation,
    ) -> Option<Suspended> {
        if armed(TASK_EVENTS) || creation.has_call_site() {
            return None;
        }
        let suspended = Suspended::untold(creation.now, self.current_task(), creation.depth, self.task_stack());
        self.put_on_stack::<false>(stack, task, None);
        self.set_now(creation.now.at_work());
        Some(suspended)
    }

    /// Ends an unreported task. False, and nothing done, if the task was reported or an event of tasks is subscribed.
    #[inline(always)]
    pub fn end_secret_task(&'static self, suspended: &Suspended) -> bool {
        if suspended.was_told() || armed(TASK_EVENTS) {
            return false;
        }
        self.set_now(suspended.now.in_state(State::Overhead));
        self.set_task_stack(suspended.stack);
        self.set_current_task(suspended.task);
        self.set_depth(suspended.depth);
        self.set_now(suspended.now);
        true
    }
}

impl Thread {
    /// True if the begin or the end of a task's creation is to be reported.
    #[inline(always)]
    pub fn reports_creations() -> bool {
        armed(CREATION_EVENTS)
    }

    /// Prepares the creation of a task in the work of a region, on this, the calling thread: assigns the task's ids.
    /// `stack` is the caller's stack pointer. Neither begin nor end of the creation is reported.
    #[inline(always)]
    pub fn prepare_quiet_creation(&'static self, stack: usize) -> Option<(QuietCreation, Named)> {
        let (now, depth) = (self.now(), self.depth());
        if depth <= stack || !now.works() {
            return None;
        }
        let creator = self.current_task()?;
        Some((QuietCreation { now, depth, creator }, self.name_at_hand(creator)?))
    }

    /// Begins the prepared creation, in the frame at that stack address.
    #[inline(always)]
    pub fn begin_quiet_creation<const TOLD: bool>(&'static self, creation: QuietCreation, stack: usize) {
        if TOLD {
            creation.creator.frame.set_enter(tls::call().frame);
        }
        self.set_depth(stack);
        self.set_now(creation.now.in_state(State::TaskCreate));
    }

    /// True if the new task is to be reported once it is at its final address.
    #[inline(always)]
    pub fn tells_tasks() -> bool {
        armed(EventSet::of(&[Event::TaskCreate]))
    }

    /// Continues the creation in another frame, which lies below the first one.
    #[inline(always)]
    pub fn move_quiet_creation(&'static self, stack: usize) {
        self.set_depth(stack);
    }

    /// Ends the creation of a task, which may have run.
    #[inline(always)]
    pub fn end_quiet_creation<const TOLD: bool>(&'static self, creation: QuietCreation) {
        if TOLD {
            creation.creator.frame.set_enter(0);
        }
        self.set_depth(creation.depth);
        self.set_now(creation.now);
    }

    /// Begins a task that runs inside of its creation, in the frame at that stack address.
    #[inline(always)]
    pub fn begin_quiet_task_at_once<const TOLD: bool>(
        &'static self,
        stack: usize,
        task: &'static Task,
    ) -> Option<SuspendedCreator> {
        if armed(EXECUTION_EVENTS) {
            return None;
        }
        let suspended = SuspendedCreator { task: self.current_task(), stack: self.task_stack() };
        self.put_on_stack::<TOLD>(stack, task, suspended.task);
        self.set_now(self.now().in_state(State::WorkParallel));
        if TOLD {
            self.tell_start(suspended.task, self.now(), task);
        }
        Some(suspended)
    }

    /// Ends a task of [`begin_quiet_task_at_once`](Self::begin_quiet_task_at_once).
    #[inline(always)]
    pub fn end_quiet_task_at_once<const TOLD: bool>(&'static self, suspended: SuspendedCreator) {
        if TOLD {
            self.tell_end_of_body(Status::Complete, suspended.task, self.now(), Token::NONE);
        }
        self.set_task_stack(suspended.stack);
        self.set_current_task(suspended.task);
    }

    /// Begins a queued task on this, the calling thread, in the frame at that stack address.
    #[inline(always)]
    pub fn begin_quiet_task<const TOLD: bool>(
        &'static self,
        stack: usize,
        task: &'static Task,
    ) -> Option<QuietlySuspended> {
        let now = self.now();
        if armed(EXECUTION_EVENTS) || !now.is_in_region() || now.executes_nothing() {
            return None;
        }
        if TOLD && self.creating().load(Relaxed) != 0 {
            return None;
        }
        let (task_before, depth, stack_before) = (self.current_task(), self.depth(), self.task_stack());
        // A handler never sees the new task in the wait of the suspended one.
        self.set_now(now.in_state(State::Overhead));
        self.put_on_stack::<TOLD>(stack, task, task_before);
        self.set_now(now.in_state(State::WorkParallel));
        let wait = if TOLD { self.tell_start(task_before, now, task) } else { Token::NONE };
        Some(QuietlySuspended { now, task: task_before, depth, stack: stack_before, wait })
    }

    /// Ends a task of [`begin_quiet_task`](Self::begin_quiet_task).
    #[inline(always)]
    pub fn end_quiet_task<const TOLD: bool>(&'static self, suspended: QuietlySuspended) {
        if TOLD {
            self.tell_end_of_body(Status::Complete, suspended.task, suspended.now, suspended.wait);
        }
        self.set_now(suspended.now.in_state(State::Overhead));
        self.set_task_stack(suspended.stack);
        self.set_current_task(suspended.task);
        self.set_depth(suspended.depth);
        self.set_now(suspended.now);
    }

    /// Makes the task current, in the frame at that stack address, above the suspended one.
    #[inline(always)]
    fn put_on_stack<const TOLD: bool>(&'static self, stack: usize, task: &'static Task, below: Option<&'static Task>) {
        if TOLD {
            self.place_task(task, tls::call().frame, below);
        }
        self.set_current_task(Some(task));
        self.set_task_stack(stack);
        self.set_depth(stack);
    }
}
