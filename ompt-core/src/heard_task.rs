//! Explicit tasks inside of regions: the fast path where a tool is subscribed to creations and executions, and calls
//! are not reported. It maintains the same words as [`explicit_task`], in smaller frames: tasks that run at once nest
//! on the stack.
//!
//! [`explicit_task`]: crate::explicit_task

use crate::dispatch::{Token, armed};
use crate::event::{Event, EventSet, Span};
use crate::explicit_task::Suspended;
use crate::packed_state::PackedState;
use crate::state::State;
use crate::task::{Named, Task};
use crate::thread::Thread;
use crate::tls;
use std::sync::atomic::Ordering::*;

/// Events of a task that only OMPT tools get, and that this fast path doesn't handle.
const OTHERS: EventSet = EventSet::of(&[Event::TaskCreate, Event::TaskSwitch]);

/// A creation in the work of a region.
#[derive(Clone, Copy, Debug)]
#[must_use = "a creation that began has to end"]
pub struct HeardCreation {
    now: PackedState,
    depth: usize,
}

/// A taskwait that was begun in the work of a region.
#[derive(Clone, Copy, Debug)]
#[must_use = "a wait that began has to end"]
pub struct Taskwait {
    now: PackedState,
    depth: usize,
    wait: u64,
    token: Token,
}

impl Thread {
    /// Begins a taskwait in the work of a region, in the frame at that stack address, like
    /// [`begin_wait`](Self::begin_wait). `None`, and nothing done, where the general path is needed.
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
        let token = self.begin(Span::TASK_WAIT);
        if token != Token::NONE {
            self.wait_token().store(token.bits(), Relaxed);
        }
        Some(Taskwait { now, depth, wait, token })
    }

    /// Ends a taskwait of [`begin_taskwait`](Self::begin_taskwait).
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

    /// Prepares the creation of a task in the work of a region, on this, the calling thread: assigns the task's ids.
    /// `stack` is the caller's stack pointer. `None`, and nothing done, where the general path is needed.
    #[inline(always)]
    pub fn prepare_heard_creation(&'static self, stack: usize) -> Option<(HeardCreation, Named)> {
        let (now, depth) = (self.now(), self.depth());
        if depth <= stack || !now.works() || armed(OTHERS) || tls::call().frame != 0 {
            return None;
        }
        Some((HeardCreation { now, depth }, self.name_at_hand(self.current_task()?)?))
    }

    /// Begins the prepared creation, in the frame at that stack address. Returns the sessions that were notified.
    #[inline(always)]
    pub fn begin_heard_creation(&'static self, creation: HeardCreation, stack: usize) -> Token {
        self.set_depth(stack);
        self.set_now(creation.now.in_state(State::TaskCreate));
        let token = self.begin_one_of(Event::TaskCreateBegin);
        if token != Token::NONE {
            self.wait_token().store(token.bits(), Relaxed);
        }
        token
    }

    /// Ends the creation. `token` is that of a creation whose end was not reported: the task has not run inside of it.
    #[inline(always)]
    pub fn end_heard_creation(&'static self, creation: HeardCreation, task: &'static Task, token: Token) {
        if token != Token::NONE {
            self.tell_creation(task, false, token);
        }
        self.set_depth(creation.depth);
        self.set_now(creation.now);
    }

    /// Begins a task that runs inside of its creation, which this ends, in the frame at that stack address.
    #[inline(always)]
    pub fn begin_heard_task_at_once(&'static self, stack: usize, task: &'static Task, token: Token) -> Suspended {
        if token != Token::NONE {
            self.tell_creation(task, true, token);
        }
        self.start_task(stack, task, self.now().in_state(State::WorkParallel), self.depth())
    }
}
