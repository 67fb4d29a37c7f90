//! State of a thread while another task runs on it.

use crate::dispatch::Token;
use crate::packed_state::PackedState;
use crate::task::Task;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use system::memory::Link;

/// State of a thread before it started to execute a task, and the task that is suspended meanwhile.
#[derive(Clone, Copy, Debug)]
#[must_use = "a task that began has to end"]
pub struct Suspended {
    pub(crate) now: PackedState,
    pub(crate) task: Option<&'static Task>,
    pub(crate) depth: usize,
    pub(crate) stack: usize,
    /// The sessions that were notified of the start.
    pub(crate) token: Token,
    /// The sessions that were notified of the wait which the task interrupts.
    pub(crate) wait: Token,
}

impl Suspended {
    /// The state before a task whose start is not reported.
    #[inline(always)]
    pub(crate) fn unreported(now: PackedState, task: Option<&'static Task>, depth: usize, stack: usize) -> Self {
        Self { now, task, depth, stack, token: Token::NONE, wait: Token::NONE }
    }

    /// True if the start was reported.
    #[inline(always)]
    pub(crate) fn is_reported(&self) -> bool {
        self.token != Token::NONE
    }
}

/// Storage for a [`Suspended`] state, for an adapter that sees the start and end of an execution in different calls.
#[derive(Debug)]
pub struct SuspendedCell {
    /// Bit 0 is set while there is a state; the bits above it hold the token of the wait.
    wait: AtomicU64,
    now: AtomicU64,
    task: Link<Task>,
    depth: AtomicUsize,
    stack: AtomicUsize,
    token: AtomicU64,
}

system::zeroed!(SuspendedCell { wait, now, task, depth, stack, token });

impl SuspendedCell {
    /// Empties the cell.
    #[inline(always)]
    pub fn clear(&self) {
        self.wait.store(0, Relaxed);
    }

    /// Stores the state.
    #[inline(always)]
    pub fn keep(&self, suspended: Suspended) {
        // The highest bit of a token is free.
        self.wait.store(suspended.wait.bits() << 1 | 1, Relaxed);
        self.now.store(suspended.now.bits(), Relaxed);
        self.task.set(suspended.task);
        self.depth.store(suspended.depth, Relaxed);
        self.stack.store(suspended.stack, Relaxed);
        self.token.store(suspended.token.bits(), Relaxed);
    }

    /// Takes the state, if there is one.
    #[inline(always)]
    pub fn take(&self) -> Option<Suspended> {
        let wait = self.wait.load(Relaxed);
        if wait == 0 {
            return None;
        }
        self.clear();
        let [token, wait] = [self.token.load(Relaxed), wait >> 1].map(Token::from_bits);
        let now = PackedState::from_bits(self.now.load(Relaxed));
        let (depth, stack) = (self.depth.load(Relaxed), self.stack.load(Relaxed));
        Some(Suspended { now, task: self.task.get(), depth, stack, token, wait })
    }
}
