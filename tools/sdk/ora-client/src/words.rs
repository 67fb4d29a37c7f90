//! Words of the calling thread beside the requests: `docs/reference/thread-words.md`.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Words of the calling thread that a callback shares with `libora.so` (docs/reference/thread-words.md), at the places of
/// `ompt_core::tls`. They are the thread's own storage: there from its first instruction to its last.
#[repr(C)]
#[derive(Debug)]
pub struct CallbackWords {
    answer: Cell<u64>,
    creator: Cell<u64>,
    stamps: Stamps,
}

/// Times of a task that runs at once.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Stamps {
    created: Cell<u64>,
    entered: Cell<u64>,
    begun: Cell<u64>,
    done: Cell<u64>,
}

/// The clock of [`Stamps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampClock {
    /// The processor's counter.
    Counter,
    /// CLOCK_MONOTONIC, in nanoseconds.
    Monotonic,
}

impl Stamps {
    /// The runtime was called to create the task.
    #[inline(always)]
    pub fn created(&self) -> u64 {
        self.created.get()
    }

    /// The runtime ran the task.
    #[inline(always)]
    pub fn entered(&self) -> u64 {
        self.entered.get()
    }

    /// The task's body began, or that of the region that the thread has begun. This stamp and those before stay until the thread
    /// creates another task that is stamped, or begins such a region.
    #[inline(always)]
    pub fn begun(&self) -> u64 {
        self.begun.get()
    }

    /// Its body returned: valid in the callback of the task's end (35).
    #[inline(always)]
    pub fn done(&self) -> u64 {
        self.done.get()
    }

    /// Stamps a task in the library's place, for tests: creation, entry, begin and end of the body.
    pub fn set(&self, [created, entered, begun, done]: [u64; 4]) {
        self.created.set(created);
        self.entered.set(entered);
        self.begun.set(begun);
        self.done.set(done);
    }
}

impl CallbackWords {
    const DECLINE: u64 = 1;
    const COUNT_TASKS: u64 = 2;
    const COUNT_WAITS: u64 = 4;
    const STAMP_TICKS: u64 = 8;
    const STAMP_NS: u64 = 16;

    /// Declines an event, in the callback of the one before: the end of a wait, in the callback of its begin (5 at a region's
    /// end, 28).
    #[inline(always)]
    pub fn decline_next(&self) {
        self.answer.set(Self::DECLINE);
    }

    /// In the callback of a creation's begin (23): declines, if the task runs at once, the end of the creation (24) and the begin of
    /// the execution (33). With a clock, the task's stages are stamped. These events may come all the same, then without stamps.
    #[inline(always)]
    pub fn decline_begin(&self, stamps: Option<StampClock>) {
        let clock = match stamps {
            None => 0,
            Some(StampClock::Counter) => Self::STAMP_TICKS,
            Some(StampClock::Monotonic) => Self::STAMP_NS,
        };
        self.answer.set(self.answer.get() | Self::DECLINE | clock);
    }

    /// In the callback of a task's begin (33): tasks that this thread runs at once are counted from now on, and so are their waits
    /// for nothing ([`Words::tasks`], [`Words::waits`]), in place of their events (33 to 35; 28 and 29).
    pub fn count_tasks(&self) {
        self.answer.set(Self::COUNT_TASKS | Self::COUNT_WAITS);
    }

    /// In the callback of a creation's begin (23), before [`Self::decline_begin`]: the waits are counted, and tasks have their events.
    pub fn count_waits(&self) {
        self.answer.set(Self::COUNT_WAITS);
    }

    /// In the callback of a region's begin (1): the start of its body on this thread is stamped, in nanoseconds
    /// ([`Stamps::begun`]). On a runtime that does not show it there is no stamp.
    #[inline(always)]
    pub fn stamp_body(&self) {
        self.answer.set(Self::STAMP_NS);
    }

    /// The stamps of the task that was created last with a clock.
    #[inline(always)]
    pub fn stamps(&self) -> &Stamps {
        &self.stamps
    }

    /// The task that creates another one, in the callback of the creation's begin (23). `None` where [`Client::task`](crate::Client::task) has to
    /// be asked.
    #[inline(always)]
    pub fn creator(&self) -> Option<u64> {
        /// In place of the id of a task that has none yet (`ompt_core::task`).
        const UNNAMED: u64 = u64::MAX;
        let creator = self.creator.get();
        (creator != UNNAMED).then_some(creator)
    }
}

/// Words of the calling thread that `libora.so` writes (docs/reference/thread-words.md), at the places of
/// `ompt_core::thread::Published`.
#[repr(C)]
#[derive(Debug)]
pub struct Words {
    now: AtomicU64,
    chunks: AtomicU64,
    tasks: AtomicU64,
    waits: AtomicU64,
}

impl Words {
    /// The region that the thread executes, 0 for none; `None` where the word doesn't say, and [`Client::region`](crate::Client::region) does.
    #[inline(always)]
    pub fn region(&self) -> Option<u64> {
        /// The numbers in place of a state from which on more has to be asked than the word (`ompt_core::packed_state`).
        const NO_STATE: u64 = 0xfe;
        let now = self.now.load(Relaxed);
        (now & 0xff < NO_STATE).then_some(now >> 8)
    }

    /// True if the thread waits at the barrier that ends its region.
    #[inline(always)]
    pub fn is_at_last_barrier(&self) -> bool {
        /// The state's number (`ompt_core::state`).
        const AT_LAST_BARRIER: u64 = 5;
        self.now.load(Relaxed) & 0xff == AT_LAST_BARRIER
    }

    /// The count of the shares of loops that the thread has been handed out.
    #[inline(always)]
    pub fn chunks(&self) -> u64 {
        self.chunks.load(Relaxed)
    }

    /// The count of tasks that have run at once without events of their executions.
    #[inline(always)]
    pub fn tasks(&self) -> u64 {
        self.tasks.load(Relaxed)
    }

    /// The count of waits for nothing that had no events.
    #[inline(always)]
    pub fn waits(&self) -> u64 {
        self.waits.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threads_word_says_its_region_where_it_has_a_state() {
        let words = |now| Words { now: AtomicU64::new(now), chunks: 3.into(), tasks: 5.into(), waits: 7.into() };
        assert_eq!((words(7 << 8 | 2).region(), words(1).region()), (Some(7), Some(0)));
        assert_eq!((words(7 << 8 | 0xfe).region(), words(0xff).region(), words(0).chunks()), (None, None, 3));
        assert_eq!((words(0).tasks(), words(0).waits()), (5, 7));
    }

    #[test]
    fn a_creator_is_named_where_it_has_an_id() {
        let stamps = Stamps::default;
        let words = |creator| CallbackWords { answer: Cell::new(0), creator: Cell::new(creator), stamps: stamps() };
        assert_eq!([words(7).creator(), words(0).creator(), words(u64::MAX).creator()], [Some(7), Some(0), None]);
    }
}
