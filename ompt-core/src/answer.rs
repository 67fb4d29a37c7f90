//! Answers of a collector: what it requests in a callback for the events that follow, in the first of its thread's
//! [callback words](crate::tls::callback_words) (`docs/reference/thread-words.md`).
//!
//! Tasks that run immediately (undeferred) are numerous and take less time than their events. So a collector can decline some of these
//! events, or have tasks and waits counted in words of the thread's record. Both apply only on the fast path of tasks, and only while no
//! other interface is subscribed to anything: otherwise all events are reported.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Declines the event that follows from this one. In the callback of a wait's start: the wait's end. In the callback of a creation's start:
/// the creation's end and, if the task runs immediately, the start of its execution.
pub(crate) const DECLINE: usize = 1;
/// From now on, tasks that this thread runs immediately are counted, instead of reporting the start and end of their
/// executions.
pub(crate) const COUNT_TASKS: usize = 2;
/// From now on, taskwaits in such tasks that have nothing to wait for are counted instead of reported.
pub(crate) const COUNT_WAITS: usize = 4;
/// In the callback of a creation's start: the task's stages are stamped by the processor's counter if the task runs immediately. In the
/// callback of a region's start: the start of the body on this thread is stamped,
pub(crate) const STAMP_TICKS: usize = 8;
/// or by CLOCK_MONOTONIC, in nanoseconds.
pub(crate) const STAMP_NS: usize = 16;

const COUNTS: usize = COUNT_TASKS | COUNT_WAITS;
/// Both clocks.
pub(crate) const STAMPS: usize = STAMP_TICKS | STAMP_NS;

/// A thread's answers that are still in effect.
pub(crate) struct Answers {
    /// The answer about the creation that the thread is in, until the task runs.
    creation: AtomicUsize,
    /// The answer about the region that the thread begins, until the body starts.
    body: AtomicUsize,
    /// Kinds of events that are counted, below the epoch of the session that has asked for it.
    counts: AtomicU64,
    /// The stack address of the task that the thread executes, if that has queued no task; otherwise another value.
    childless: AtomicUsize,
}

system::zeroed!(Answers { creation, body, counts, childless });

const EPOCH_SHIFT: u32 = 32;

impl Answers {
    /// The thread ends: another thread may get its record.
    pub(crate) fn forget(&self) {
        self.body.store(0, Relaxed);
        self.counts.store(0, Relaxed);
        self.childless.store(0, Relaxed);
    }

    /// Sets the answer given in the callback of a creation's start.
    #[inline(always)]
    pub(crate) fn set_creation(&self, answer: usize) {
        self.creation.store(answer, Relaxed);
    }

    /// Takes that answer, which is valid once.
    #[inline(always)]
    pub(crate) fn take_creation(&self) -> usize {
        let answer = self.creation.load(Relaxed);
        self.creation.store(0, Relaxed);
        answer
    }

    /// Sets the answer given in the callback of a region's start.
    #[inline(always)]
    pub(crate) fn set_body(&self, answer: usize) {
        self.body.store(answer & STAMPS, Relaxed);
    }

    /// Takes that answer, which is valid once; 0: none.
    #[inline(always)]
    pub(crate) fn take_body(&self) -> usize {
        let answer = self.body.load(Relaxed);
        if answer != 0 {
            self.body.store(0, Relaxed);
        }
        answer
    }

    /// Sets the kinds of events that the session of this epoch wants to be counted.
    #[cold]
    #[inline(never)]
    pub(crate) fn count(&self, answer: usize, epoch: u32) {
        self.counts.store((answer & COUNTS) as u64 | u64::from(epoch) << EPOCH_SHIFT, Relaxed);
    }

    /// The answer about the creation that the thread is in.
    #[inline(always)]
    pub(crate) fn creation(&self) -> usize {
        self.creation.load(Relaxed)
    }

    /// The kinds of events that are to be counted, and the epoch of the session that has asked for it.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)] // halves
    pub(crate) fn counts(&self) -> (usize, u32) {
        let counts = self.counts.load(Relaxed);
        (counts as usize & COUNTS, (counts >> EPOCH_SHIFT) as u32)
    }

    /// The stack address of the current task if it has queued none, or another value.
    #[inline(always)]
    pub(crate) fn childless(&self) -> usize {
        self.childless.load(Relaxed)
    }

    /// Sets what [`childless`](Self::childless) returns.
    #[inline(always)]
    pub(crate) fn set_childless(&self, stack: usize) {
        self.childless.store(stack, Relaxed);
    }

    /// True if `answer` asks for counts.
    #[inline(always)]
    pub(crate) fn asks_for_counts(answer: usize) -> bool {
        answer & COUNTS != 0
    }
}
