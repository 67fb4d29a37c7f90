//! Answers of a collector: what it says in a callback about the events that follow, in the first of its thread's
//! [callback words](crate::tls::callback_words) (`docs/reference/thread-words.md`).
//!
//! Tasks that run at once come in great numbers and take less time than their events. So a collector can decline some of these, or have
//! tasks and waits counted in words of the thread's record. Both hold on the fast path of tasks alone, and only while no other
//! interface is subscribed to anything: elsewhere, all events come.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The event that follows from this one is declined: the end of a wait, in the callback of its begin; the end of a task's creation and
/// the begin of its execution if it runs at once, in that of the creation's begin.
pub(crate) const DECLINE: usize = 1;
/// From now on, tasks that this thread runs at once are counted, in place of the begin and the end of their executions.
pub(crate) const COUNT_TASKS: usize = 2;
/// From now on, taskwaits of such tasks for nothing are counted, in place of their events.
pub(crate) const COUNT_WAITS: usize = 4;
/// In the callback of a creation's begin: the task's stages are stamped by the processor's counter if it runs at once; in that of a
/// region's begin: the start of the body on this thread,
pub(crate) const STAMP_TICKS: usize = 8;
/// or by CLOCK_MONOTONIC, in nanoseconds.
pub(crate) const STAMP_NS: usize = 16;

const COUNTS: usize = COUNT_TASKS | COUNT_WAITS;
/// Both of these.
pub(crate) const STAMPS: usize = STAMP_TICKS | STAMP_NS;

/// A thread's answers that hold on.
pub(crate) struct Answers {
    /// The answer about the creation that the thread is in, until the task runs.
    creation: AtomicUsize,
    /// The answer about the region that the thread begins, until the body starts.
    body: AtomicUsize,
    /// Kinds of events that are counted, below the epoch of the session that has asked for it.
    counts: AtomicU64,
    /// The stack address of the task that the thread executes, if that has queued no task; else another value.
    childless: AtomicUsize,
}

system::zeroed!(Answers { creation, body, counts, childless });

const EPOCH_SHIFT: u32 = 32;

impl Answers {
    /// The thread ends: another one may get its record.
    pub(crate) fn forget(&self) {
        self.body.store(0, Relaxed);
        self.counts.store(0, Relaxed);
        self.childless.store(0, Relaxed);
    }

    /// The answer in the callback of a creation's begin.
    #[inline(always)]
    pub(crate) fn set_creation(&self, answer: usize) {
        self.creation.store(answer, Relaxed);
    }

    /// The same, which holds once.
    #[inline(always)]
    pub(crate) fn take_creation(&self) -> usize {
        let answer = self.creation.load(Relaxed);
        self.creation.store(0, Relaxed);
        answer
    }

    /// The answer in the callback of a region's begin.
    #[inline(always)]
    pub(crate) fn set_body(&self, answer: usize) {
        self.body.store(answer & STAMPS, Relaxed);
    }

    /// The same, which holds once; 0: none.
    #[inline(always)]
    pub(crate) fn take_body(&self) -> usize {
        let answer = self.body.load(Relaxed);
        if answer != 0 {
            self.body.store(0, Relaxed);
        }
        answer
    }

    /// Kinds of events that the session of this epoch wants to be counted.
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

    /// The epoch of the session that wants this to be counted, if one does.
    #[inline(always)]
    pub(crate) fn counting(&self, what: usize) -> Option<u64> {
        let counts = self.counts.load(Relaxed);
        (counts & what as u64 != 0).then_some(counts >> EPOCH_SHIFT)
    }

    /// The stack address of the task that has queued none, or another value.
    #[inline(always)]
    pub(crate) fn childless(&self) -> usize {
        self.childless.load(Relaxed)
    }

    /// Sets it.
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
