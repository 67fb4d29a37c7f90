//! Fast path of explicit tasks: a task that the work of a region creates, and a task that runs in a region.
//!
//! It keeps the same words as [`explicit_task`], with fewer instructions and smaller frames, since tasks that run at once nest on
//! the stack. Each step that can find more to do returns `None` then, and has done nothing: [`explicit_task`] takes over.
//!
//! A [`level`] is a constant of each instance of the code: where nothing is reported, nothing of a report is there.
//!
//! [`explicit_task`]: crate::explicit_task

use crate::answer::{COUNT_TASKS, DECLINE};
use crate::detail::Status;
use crate::dispatch::{Token, armed};
use crate::event::{Event, EventSet, Span};
use crate::explicit_task::{CREATION_EVENTS, Creation, EXECUTION_EVENTS, Suspended};
use crate::packed_state::PackedState;
use crate::state::State;
use crate::task::{Named, Task, flag};
use crate::thread::Thread;
use crate::tls;
use std::sync::atomic::Ordering::*;

/// Levels of what is reported of a task.
pub mod level {
    /// Nothing: ids, states and depths are kept.
    pub const TRACKED: u8 = 0;
    /// Begin and end of creation and execution, for a collector of the Sun API.
    pub const EVENTS: u8 = 1;
    /// The new task and the switches between tasks, with their frames, for a tool of OMPT.
    pub const OMPT: u8 = 2;
}

/// Events of a task that only tools of OMPT get, and that [`level::EVENTS`] doesn't report.
const OTHERS: EventSet = EventSet::of(&[Event::TaskCreate, Event::TaskSwitch]);

/// All events of a task.
const TASK_EVENTS: EventSet = CREATION_EVENTS.union(EXECUTION_EVENTS).union(OTHERS);

/// A creation on the fast path.
#[derive(Clone, Copy, Debug)]
#[must_use = "a creation that began has to end"]
pub struct FastCreation {
    now: PackedState,
    depth: usize,
    creator: &'static Task,
}

impl FastCreation {
    /// True if the creator is a final task: all that it creates is included in it.
    #[inline(always)]
    pub fn is_in_final(&self) -> bool {
        self.creator.flags() & flag::FINAL != 0
    }
}

/// State of a thread while a task runs on it inside of its creation.
#[derive(Clone, Copy, Debug)]
#[must_use = "a task that began has to end"]
pub struct SuspendedAtOnce {
    suspended: Suspended,
    /// Of the task around it: see [`Thread::begin_childless`]. [`level::EVENTS`] only.
    childless: usize,
}

/// A taskwait that the work of a region has begun.
#[derive(Clone, Copy, Debug)]
#[must_use = "a wait that began has to end"]
pub struct Taskwait {
    now: PackedState,
    depth: usize,
    wait: u64,
    token: Token,
}

impl Thread {
    /// True if begin or end of a task's creation or execution is to be reported: [`level::EVENTS`].
    #[inline(always)]
    pub fn reports_tasks() -> bool {
        armed(CREATION_EVENTS.union(EXECUTION_EVENTS))
    }

    /// True if begin or end of a task's creation is to be reported.
    #[inline(always)]
    pub fn reports_creations() -> bool {
        armed(CREATION_EVENTS)
    }

    /// True if a new task is to be reported at its final place: a part of [`level::OMPT`].
    #[inline(always)]
    pub fn reports_new_tasks() -> bool {
        armed(EventSet::of(&[Event::TaskCreate]))
    }

    /// Prepares the creation of a task by the work of a region, on this, the calling thread. `stack` is the caller's stack pointer.
    #[inline(always)]
    pub fn prepare_creation<const LEVEL: u8>(&'static self, stack: usize) -> Option<(FastCreation, Named)> {
        let (now, depth) = (self.now(), self.depth());
        if depth <= stack || !now.works() {
            return None;
        }
        if LEVEL == level::EVENTS && (armed(OTHERS) || tls::call().frame != 0) {
            return None;
        }
        let creator = self.current_task()?;
        Some((FastCreation { now, depth, creator }, self.name_at_hand(creator)?))
    }

    /// Begins the creation, in the frame at that stack address. The token is for its end, or for the task if that runs at once.
    #[inline(always)]
    pub fn begin_fast_creation<const LEVEL: u8>(&'static self, creation: FastCreation, stack: usize) -> Token {
        if LEVEL == level::OMPT {
            creation.creator.frame.set_enter(tls::call().frame);
        }
        self.set_depth(stack);
        self.set_now(creation.now.in_state(State::TaskCreate));
        if LEVEL == level::EVENTS { self.report_creation() } else { Token::NONE }
    }

    /// Moves the creation to another frame, which lies below the first one.
    #[inline(always)]
    pub fn move_fast_creation(&'static self, stack: usize) {
        self.set_depth(stack);
    }

    /// Ends the creation. `token` is none if the task has run inside of it.
    #[inline(always)]
    pub fn end_fast_creation<const LEVEL: u8>(
        &'static self,
        creation: FastCreation,
        task: &'static Task,
        token: Token,
    ) {
        if LEVEL == level::OMPT {
            creation.creator.frame.set_enter(0);
        }
        if LEVEL == level::EVENTS && token != Token::NONE {
            self.answers.take_creation();
            self.report_created(task, false, token);
        }
        self.set_depth(creation.depth);
        self.set_now(creation.now);
    }

    /// Begins the execution of a task inside of its creation, in the frame at that stack address.
    #[inline(always)]
    pub fn begin_fast_task_at_once<const LEVEL: u8>(
        &'static self,
        stack: usize,
        task: &'static Task,
        token: Token,
    ) -> Option<SuspendedAtOnce> {
        let mut childless = 0;
        if LEVEL == level::EVENTS {
            childless = self.begin_childless(stack);
            let mut declined = Token::NONE;
            if self.answers.take_creation() & DECLINE != 0 {
                self.wait_token().store(0, Relaxed);
                declined = token;
            } else if token != Token::NONE {
                self.report_created(task, true, token);
            }
            if !self.counts(COUNT_TASKS) {
                let before = (self.now().in_state(State::WorkParallel), self.depth());
                let suspended = self.start_task(stack, task, before, declined);
                return Some(SuspendedAtOnce { suspended, childless });
            }
            self.published().count_task();
        } else if armed(EXECUTION_EVENTS) {
            return None;
        }
        let suspended = Suspended::unreported(self.now(), self.current_task(), 0, self.task_stack());
        self.put_on_stack::<LEVEL>(stack, task, suspended.task);
        self.set_now(suspended.now.in_state(State::WorkParallel));
        if LEVEL == level::OMPT {
            self.report_start(suspended.task, self.now(), task);
        }
        Some(SuspendedAtOnce { suspended, childless })
    }

    /// Ends the execution of a task that ran inside of its creation, whose end restores the thread's state and depth.
    #[inline(always)]
    pub fn end_fast_task_at_once<const LEVEL: u8>(&'static self, at_once: SuspendedAtOnce) {
        let SuspendedAtOnce { suspended, childless } = at_once;
        if LEVEL == level::EVENTS {
            self.end_childless(childless);
            self.report_end(Status::Complete, suspended);
        } else if LEVEL == level::OMPT {
            self.report_end_of_body(Status::Complete, suspended.task, self.now(), Token::NONE);
        }
        self.set_task_stack(suspended.stack);
        self.set_current_task(suspended.task);
    }

    /// Begins the execution of a queued task, in the frame at that stack address.
    #[inline(always)]
    pub fn begin_fast_task<const LEVEL: u8>(&'static self, stack: usize, task: &'static Task) -> Option<Suspended> {
        let now = self.now();
        if armed(EXECUTION_EVENTS) || !now.is_in_region() || now.executes_nothing() {
            return None;
        }
        if LEVEL == level::OMPT && self.creating().load(Relaxed) != 0 {
            return None;
        }
        let mut suspended = Suspended::unreported(now, self.current_task(), self.depth(), self.task_stack());
        // A handler never sees the new task wait for what the suspended one waits for.
        self.set_now(now.in_state(State::Overhead));
        self.put_on_stack::<LEVEL>(stack, task, suspended.task);
        self.set_now(now.in_state(State::WorkParallel));
        if LEVEL == level::OMPT {
            suspended.wait = self.report_start(suspended.task, now, task);
        }
        Some(suspended)
    }

    /// Ends the execution of a queued task.
    #[inline(always)]
    pub fn end_fast_task<const LEVEL: u8>(&'static self, suspended: Suspended) {
        if LEVEL == level::OMPT {
            self.report_end_of_body(Status::Complete, suspended.task, suspended.now, suspended.wait);
        }
        self.resume_task(suspended);
    }

    /// Begins a taskwait in the work of a region, in the frame at that stack address, as [`begin_wait`](Self::begin_wait) does.
    /// `None`, and nothing done: there is more to do.
    #[inline(always)]
    pub fn begin_taskwait(&'static self, stack: usize) -> Option<Taskwait> {
        let (now, depth) = (self.now(), self.depth());
        if depth <= stack || !now.works() || tls::call().frame != 0 {
            return None;
        }
        let wait = self.wait_id();
        self.set_depth(stack);
        self.set_wait_id(0);
        self.set_now(now.in_state(State::WaitTaskwait));
        let token = if armed(Span::TASK_WAIT.events()) && self.waits_for_nothing() {
            self.published().count_wait();
            Token::NONE
        } else {
            self.begin(Span::TASK_WAIT)
        };
        if token != Token::NONE {
            self.wait_token().store(token.bits(), Relaxed);
        }
        Some(Taskwait { now, depth, wait, token })
    }

    /// Ends the taskwait.
    #[inline(always)]
    pub fn end_plain_taskwait(&'static self, taskwait: Taskwait) {
        if taskwait.token != Token::NONE {
            self.wait_token().store(0, Relaxed);
            self.end(Span::TASK_WAIT, taskwait.token);
        }
        self.set_depth(taskwait.depth);
        self.set_now(taskwait.now);
        self.set_wait_id(taskwait.wait);
    }

    /// Makes the task the current one, in the frame at that stack address, above the one that is suspended.
    #[inline(always)]
    fn put_on_stack<const LEVEL: u8>(&'static self, stack: usize, task: &'static Task, below: Option<&'static Task>) {
        if LEVEL == level::OMPT {
            self.place_task(task, tls::call().frame, below);
        }
        self.set_current_task(Some(task));
        self.set_task_stack(stack);
        self.set_depth(stack);
    }
}

/// The same for a runtime adapter whose begins and ends come in different calls, and that keeps what [`explicit_task`] gives it. Nothing
/// is reported.
///
/// [`explicit_task`]: crate::explicit_task
impl Thread {
    /// Begins the creation of a task, in the frame at that stack address. The record, at its final place, gets id, parent and flags.
    #[inline(always)]
    pub fn begin_unreported_creation(&'static self, stack: usize, task: &Task, flags: u32) -> Option<Creation> {
        if armed(TASK_EVENTS) {
            return None;
        }
        let (creation, name) = self.prepare_creation::<{ level::TRACKED }>(stack)?;
        task.rename(name, flags);
        self.begin_fast_creation::<{ level::TRACKED }>(creation, stack);
        Some(Creation::unreported(creation.now, creation.depth))
    }

    /// Begins the execution of a task inside of its creation, which this ends.
    #[inline(always)]
    pub fn begin_unreported_task_at_once(
        &'static self,
        stack: usize,
        task: &'static Task,
        creation: Creation,
    ) -> Option<Suspended> {
        if armed(TASK_EVENTS) || creation.is_reported() {
            return None;
        }
        let suspended = Suspended::unreported(creation.now, self.current_task(), creation.depth, self.task_stack());
        self.put_on_stack::<{ level::TRACKED }>(stack, task, None);
        self.set_now(creation.now.at_work());
        Some(suspended)
    }

    /// Ends the execution of a task of which nothing was reported. False, and nothing done: something was, or is to be.
    #[inline(always)]
    pub fn end_unreported_task(&'static self, suspended: &Suspended) -> bool {
        if suspended.is_reported() || armed(TASK_EVENTS) {
            return false;
        }
        self.resume_task(*suspended);
        true
    }
}
