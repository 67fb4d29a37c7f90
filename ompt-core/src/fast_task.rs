//! Fast path of explicit tasks: creation by a task that does work in a region, and execution in a region.
//!
//! It maintains the same words as [`explicit_task`], with fewer instructions and smaller frames, since undeferred tasks nest on the stack.
//! A step that has more to do returns `None` without having done anything, and [`explicit_task`] takes over.
//!
//! The [`level`] is a constant of each instance of the code: an instance that reports nothing contains no code for
//! reports.
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

/// Levels of what is reported about a task.
pub mod level {
    /// Nothing: ids, states and depths are kept. Tasks that run immediately are counted if a collector has asked for that.
    pub const TRACKED: u8 = 0;
    /// Start and end of creation and execution, for a collector of the Sun API.
    pub const EVENTS: u8 = 1;
    /// The new task and the switches between tasks, with their frames, for an OMPT tool.
    pub const OMPT: u8 = 2;
}

/// Task events that only OMPT tools get, and that [`level::EVENTS`] doesn't report.
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
    /// True if the creator is a final task: all tasks that it creates are included tasks.
    #[inline(always)]
    pub fn is_in_final(&self) -> bool {
        self.creator.flags() & flag::FINAL != 0
    }
}

/// State of a thread while it executes a task within the task's creation.
#[derive(Clone, Copy, Debug)]
#[must_use = "a task that began has to end"]
pub struct SuspendedAtOnce {
    suspended: Suspended,
    /// The enclosing task's value: see [`FastTasks::begin_childless`]. Not at [`level::OMPT`].
    childless: usize,
}

/// A taskwait that was begun by a task that does work in a region.
#[derive(Clone, Copy, Debug)]
#[must_use = "a wait that began has to end"]
pub struct Taskwait {
    now: PackedState,
    depth: usize,
    wait: u64,
    token: Token,
}

/// The transitions of [`Tasks`](crate::explicit_task::Tasks) on the fast path.
#[derive(Clone, Copy)]
pub struct FastTasks {
    pub(crate) thread: &'static Thread,
}

impl Thread {
    /// The transitions of its tasks on the fast path.
    #[inline(always)]
    pub fn fast_tasks(&'static self) -> FastTasks {
        FastTasks { thread: self }
    }
}

impl FastTasks {
    /// True if the start or end of a task's creation or execution is to be reported: [`level::EVENTS`]. For a session that
    /// wants only executions, and those of tasks that run immediately to be counted, [`level::TRACKED`] suffices.
    #[inline(always)]
    pub fn reports_tasks() -> bool {
        let counts = || tls::get().is_some_and(|thread| thread.fast_tasks().to_count() & COUNT_TASKS != 0);
        armed(CREATION_EVENTS) || armed(EXECUTION_EVENTS) && !counts()
    }

    /// True if the start or end of a task's creation is to be reported.
    #[inline(always)]
    pub fn reports_creations() -> bool {
        armed(CREATION_EVENTS)
    }

    /// True if a new task is to be reported at its final address: a part of [`level::OMPT`].
    #[inline(always)]
    pub fn reports_new_tasks() -> bool {
        armed(EventSet::of(&[Event::TaskCreate]))
    }

    /// Prepares the creation of a task on this, the calling thread, which does work in a region. `stack` is the caller's stack pointer.
    #[inline(always)]
    pub fn prepare_creation<const LEVEL: u8>(self, stack: usize) -> Option<(FastCreation, Named)> {
        let thread = self.thread;
        let (now, depth) = (thread.activity.now(), thread.current.depth());
        if depth <= stack || !now.works() {
            return None;
        }
        if LEVEL == level::EVENTS && (armed(OTHERS) || tls::call().frame != 0) {
            return None;
        }
        let creator = thread.current.task()?;
        Some((FastCreation { now, depth, creator }, thread.tasks().name_at_hand(creator)?))
    }

    /// Begins the creation, in the frame at that stack address. The token is for the creation's end, or for the task if it runs
    /// immediately.
    #[inline(always)]
    pub fn begin_creation<const LEVEL: u8>(self, creation: FastCreation, stack: usize) -> Token {
        let thread = self.thread;
        if LEVEL == level::OMPT {
            creation.creator.frame.set_enter(tls::call().frame);
        }
        thread.current.set_depth(stack);
        thread.activity.set_now(creation.now.in_state(State::TaskCreate));
        if LEVEL == level::EVENTS { thread.tasks().report_creation() } else { Token::NONE }
    }

    /// Moves the creation to another frame, which is below the first one.
    #[inline(always)]
    pub fn move_creation(self, stack: usize) {
        self.thread.current.set_depth(stack);
    }

    /// Ends the creation. `token` is none if the task has run inside it.
    #[inline(always)]
    pub fn end_creation<const LEVEL: u8>(self, creation: FastCreation, task: &'static Task, token: Token) {
        let thread = self.thread;
        if LEVEL == level::OMPT {
            creation.creator.frame.set_enter(0);
        }
        if LEVEL == level::EVENTS && token != Token::NONE {
            thread.answers.take_creation();
            thread.tasks().report_created(task, false, token);
        }
        thread.current.set_depth(creation.depth);
        thread.activity.set_now(creation.now);
    }

    /// Begins the execution of a task inside its creation, in the frame at that stack address.
    #[inline(always)]
    pub fn begin_at_once<const LEVEL: u8>(
        self,
        stack: usize,
        task: &'static Task,
        token: Token,
    ) -> Option<SuspendedAtOnce> {
        let thread = self.thread;
        let mut childless = 0;
        if LEVEL == level::EVENTS {
            let mut declined = Token::NONE;
            if thread.answers.take_creation() & DECLINE != 0 {
                thread.open_spans.set_wait(Token::NONE);
                declined = token;
            } else if token != Token::NONE {
                thread.tasks().report_created(task, true, token);
            }
            let to_count = self.to_count();
            childless = self.begin_childless_with(stack, to_count);
            if to_count & COUNT_TASKS == 0 {
                let before = (thread.activity.now().in_state(State::WorkParallel), thread.current.depth());
                let suspended = thread.tasks().start(stack, task, before, declined);
                return Some(SuspendedAtOnce { suspended, childless });
            }
            thread.activity.published().count_task();
        } else if armed(EXECUTION_EVENTS) {
            let to_count = if LEVEL == level::OMPT { 0 } else { self.to_count() };
            if to_count & COUNT_TASKS == 0 {
                return None;
            }
            childless = self.begin_childless_with(stack, to_count);
            thread.activity.published().count_task();
        }
        let suspended =
            Suspended::unreported(thread.activity.now(), thread.current.task(), 0, thread.current.task_stack());
        self.put_on_stack::<LEVEL>(stack, task, suspended.task);
        thread.activity.set_now(suspended.now.in_state(State::WorkParallel));
        if LEVEL == level::OMPT {
            thread.tasks().report_start(suspended.task, thread.activity.now(), task);
        }
        Some(SuspendedAtOnce { suspended, childless })
    }

    /// Ends the execution of a task that ran inside its creation. The creation's end restores the thread's state and
    /// depth.
    #[inline(always)]
    pub fn end_at_once<const LEVEL: u8>(self, at_once: SuspendedAtOnce) {
        let thread = self.thread;
        let SuspendedAtOnce { suspended, childless } = at_once;
        if LEVEL != level::OMPT {
            self.end_childless(childless);
        }
        if LEVEL == level::EVENTS {
            thread.tasks().report_end(Status::Complete, suspended);
        } else if LEVEL == level::OMPT {
            thread.tasks().report_end_of_body(Status::Complete, suspended.task, thread.activity.now(), Token::NONE);
        }
        thread.current.set_task_stack(suspended.stack);
        thread.current.set_task(suspended.task);
    }

    /// Begins the execution of a queued task, in the frame at that stack address.
    #[inline(always)]
    pub fn begin<const LEVEL: u8>(self, stack: usize, task: &'static Task) -> Option<Suspended> {
        let thread = self.thread;
        let now = thread.activity.now();
        if armed(EXECUTION_EVENTS) || !now.is_in_region() || now.executes_nothing() {
            return None;
        }
        if LEVEL == level::OMPT && thread.current.creating() != 0 {
            return None;
        }
        let mut suspended =
            Suspended::unreported(now, thread.current.task(), thread.current.depth(), thread.current.task_stack());
        // A handler never sees the new task together with the suspended task's wait.
        thread.activity.set_now(now.in_state(State::Overhead));
        self.put_on_stack::<LEVEL>(stack, task, suspended.task);
        thread.activity.set_now(now.in_state(State::WorkParallel));
        if LEVEL == level::OMPT {
            suspended.wait = thread.tasks().report_start(suspended.task, now, task);
        }
        Some(suspended)
    }

    /// Ends the execution of a queued task.
    #[inline(always)]
    pub fn end<const LEVEL: u8>(self, suspended: Suspended) {
        if LEVEL == level::OMPT {
            self.thread.tasks().report_end_of_body(Status::Complete, suspended.task, suspended.now, suspended.wait);
        }
        self.thread.tasks().resume(suspended);
    }

    /// Begins a taskwait on a thread that does work in a region, in the frame at that stack address, like
    /// [`Waits::begin`](crate::wait::Waits::begin). Returns `None`, without having done anything, if there is more to do.
    #[inline(always)]
    pub fn begin_taskwait(self, stack: usize) -> Option<Taskwait> {
        let thread = self.thread;
        let (now, depth) = (thread.activity.now(), thread.current.depth());
        if depth <= stack || !now.works() || tls::call().frame != 0 {
            return None;
        }
        let wait = thread.activity.wait_id();
        thread.current.set_depth(stack);
        thread.activity.set_wait_id(0);
        thread.activity.set_now(now.in_state(State::WaitTaskwait));
        let token = if armed(Span::TASK_WAIT.events()) && self.waits_for_nothing() {
            thread.activity.published().count_wait();
            Token::NONE
        } else {
            thread.begin(Span::TASK_WAIT)
        };
        if token != Token::NONE {
            thread.open_spans.set_wait(token);
        }
        Some(Taskwait { now, depth, wait, token })
    }

    /// Ends the taskwait.
    #[inline(always)]
    pub fn end_taskwait(self, taskwait: Taskwait) {
        let thread = self.thread;
        if taskwait.token != Token::NONE {
            thread.open_spans.set_wait(Token::NONE);
            thread.end(Span::TASK_WAIT, taskwait.token);
        }
        thread.current.set_depth(taskwait.depth);
        thread.activity.set_now(taskwait.now);
        thread.activity.set_wait_id(taskwait.wait);
    }

    /// Makes the task the current one, in the frame at that stack address, above the one that is suspended.
    #[inline(always)]
    fn put_on_stack<const LEVEL: u8>(self, stack: usize, task: &'static Task, below: Option<&'static Task>) {
        let thread = self.thread;
        if LEVEL == level::OMPT {
            thread.tasks().place(task, tls::call().frame, below);
        }
        thread.current.set_task(Some(task));
        thread.current.set_task_stack(stack);
        thread.current.set_depth(stack);
    }
}

/// Transitions for a runtime adapter that sees starts and ends in different calls, and that keeps what [`explicit_task`] returns. Nothing
/// is reported.
///
/// [`explicit_task`]: crate::explicit_task
impl FastTasks {
    /// Begins the creation of a task, in the frame at that stack address. The record, at its final address, gets id, parent and flags.
    #[inline(always)]
    pub fn begin_unreported_creation(self, stack: usize, task: &Task, flags: u32) -> Option<Creation> {
        if armed(TASK_EVENTS) {
            return None;
        }
        let (creation, name) = self.prepare_creation::<{ level::TRACKED }>(stack)?;
        task.rename(name, flags);
        self.begin_creation::<{ level::TRACKED }>(creation, stack);
        Some(Creation::unreported(creation.now, creation.depth))
    }

    /// Begins the execution of a task inside its creation, which this ends.
    #[inline(always)]
    pub fn begin_unreported_at_once(self, stack: usize, task: &'static Task, creation: Creation) -> Option<Suspended> {
        let thread = self.thread;
        if armed(TASK_EVENTS) || creation.is_reported() {
            return None;
        }
        let suspended =
            Suspended::unreported(creation.now, thread.current.task(), creation.depth, thread.current.task_stack());
        self.put_on_stack::<{ level::TRACKED }>(stack, task, None);
        thread.activity.set_now(creation.now.at_work());
        Some(suspended)
    }

    /// Ends the execution of a task about which nothing was reported. Returns false, without having done anything, if
    /// something was or is to be reported.
    #[inline(always)]
    pub fn end_unreported(self, suspended: &Suspended) -> bool {
        if suspended.is_reported() || armed(TASK_EVENTS) {
            return false;
        }
        self.thread.tasks().resume(*suspended);
        true
    }
}
