//! Words of the calling thread that supplement the requests: `docs/reference/thread-words.md`.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Words of the calling thread that a callback shares with `libora.so` (docs/reference/thread-words.md), at the offsets of
/// `ompt_core::tls`. They are the thread's own storage, which exists from its first instruction to its last.
#[repr(C)]
#[derive(Debug)]
pub struct CallbackWords {
    answer: Cell<u64>,
    creator: Cell<u64>,
    stamps: Stamps,
    outer_call: Cell<u64>,
}

/// The program's call of a runtime that reports itself (`ora_embed.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OuterCall {
    /// It returns to this address, as the runtime says.
    Known(u64),
    /// The runtime doesn't say.
    Unknown,
}

impl OuterCall {
    /// Address that it returns to, if that is known.
    pub fn address(self) -> Option<u64> {
        match self {
            Self::Known(address) => Some(address),
            Self::Unknown => None,
        }
    }
}

/// Times of an undeferred task.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Stamps {
    created: Cell<u64>,
    entered: Cell<u64>,
    begun: Cell<u64>,
    done: Cell<u64>,
}

/// Clock of [`Stamps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampClock {
    /// The processor's counter.
    Counter,
    /// CLOCK_MONOTONIC, in nanoseconds.
    Monotonic,
}

impl Stamps {
    /// Time at which the runtime was called to create the task.
    #[inline(always)]
    pub fn created(&self) -> u64 {
        self.created.get()
    }

    /// Time at which the runtime ran the task.
    #[inline(always)]
    pub fn entered(&self) -> u64 {
        self.entered.get()
    }

    /// Time at which the task's body started, or that of the region that the thread has started. This stamp and the preceding ones are kept
    /// until the thread creates another stamped task, or starts such a region.
    #[inline(always)]
    pub fn begun(&self) -> u64 {
        self.begun.get()
    }

    /// Time at which its body returned: valid in the callback of the task's end (35).
    #[inline(always)]
    pub fn done(&self) -> u64 {
        self.done.get()
    }

    /// Stamps a task in the library's place, for tests: creation, entry, start and end of the body.
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

    /// Declines an event in the callback of the preceding one: the end of a wait, in the callback of its begin event (5 at a region's end,
    /// 28).
    #[inline(always)]
    pub fn decline_next(&self) {
        self.answer.set(Self::DECLINE);
    }

    /// In the callback of a creation's begin event (23): declines the end of the creation (24) and the start of the execution (33) if the
    /// task is undeferred. With a clock, the stages of the task are stamped. The declined events may still be raised, but then without
    /// stamps.
    #[inline(always)]
    pub fn decline_begin(&self, stamps: Option<StampClock>) {
        let clock = match stamps {
            None => 0,
            Some(StampClock::Counter) => Self::STAMP_TICKS,
            Some(StampClock::Monotonic) => Self::STAMP_NS,
        };
        self.answer.set(self.answer.get() | Self::DECLINE | clock);
    }

    /// In the callback of a task's start (33): from now on, undeferred tasks of this thread, and their waits for nothing, are counted
    /// ([`Words::tasks`], [`Words::waits`]) instead of raising events (33 to 35; 28 and 29).
    pub fn count_tasks(&self) {
        self.answer.set(Self::COUNT_TASKS | Self::COUNT_WAITS);
    }

    /// In the callback of a creation's begin event (23), before [`Self::decline_begin`]: waits are counted, and tasks raise their events.
    pub fn count_waits(&self) {
        self.answer.set(Self::COUNT_WAITS);
    }

    /// In the callback of a region's start (1): the start of its body on this thread is stamped in nanoseconds ([`Stamps::begun`]). A
    /// runtime that does not reveal it gives no stamp.
    #[inline(always)]
    pub fn stamp_body(&self) {
        self.answer.set(Self::STAMP_NS);
    }

    /// Stamps of the task that was last created with a clock.
    #[inline(always)]
    pub fn stamps(&self) -> &Stamps {
        &self.stamps
    }

    /// The program's call that raised the event, in the callback of a region's start (1) or of a creation's begin event (23). `None` on other
    /// runtimes than those that report themselves.
    #[inline(always)]
    pub fn outer_call(&self) -> Option<OuterCall> {
        match self.outer_call.get() {
            0 => None,
            1 => Some(OuterCall::Unknown),
            address => Some(OuterCall::Known(address)),
        }
    }

    /// Task that creates another one, in the callback of the creation's begin event (23). `None` if [`Client::task`](crate::Client::task)
    /// has to be called.
    #[inline(always)]
    pub fn creator(&self) -> Option<u64> {
        /// Placeholder for the id of a task that has none yet (`ompt_core::task`).
        const UNNAMED: u64 = u64::MAX;
        let creator = self.creator.get();
        (creator != UNNAMED).then_some(creator)
    }
}

/// Words of the calling thread that `libora.so` writes (docs/reference/thread-words.md), at the offsets of `ompt_core::thread::Published`.
#[repr(C)]
#[derive(Debug)]
pub struct Words {
    now: AtomicU64,
    chunks: AtomicU64,
    tasks: AtomicU64,
    waits: AtomicU64,
}

impl Words {
    /// Region that the thread executes, or 0; `None` if the word doesn't contain it and [`Client::region`](crate::Client::region) has to be
    /// called.
    #[inline(always)]
    pub fn region(&self) -> Option<u64> {
        /// Numbers from this one on are not states: the word is not enough (`ompt_core::packed_state`).
        const NO_STATE: u64 = 0xfe;
        let now = self.now.load(Relaxed);
        (now & 0xff < NO_STATE).then_some(now >> 8)
    }

    /// True if the thread waits at the barrier that ends its region.
    #[inline(always)]
    pub fn is_at_last_barrier(&self) -> bool {
        /// Number of the state (`ompt_core::state`).
        const AT_LAST_BARRIER: u64 = 5;
        self.now.load(Relaxed) & 0xff == AT_LAST_BARRIER
    }

    /// Number of shares of loops that the thread has received.
    #[inline(always)]
    pub fn chunks(&self) -> u64 {
        self.chunks.load(Relaxed)
    }

    /// Number of undeferred tasks whose executions raised no events.
    #[inline(always)]
    pub fn tasks(&self) -> u64 {
        self.tasks.load(Relaxed)
    }

    /// Number of waits for nothing that raised no events.
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
        let words = |creator| CallbackWords {
            answer: Cell::new(0),
            creator: Cell::new(creator),
            stamps: stamps(),
            outer_call: Cell::new(0),
        };
        assert_eq!([words(7).creator(), words(0).creator(), words(u64::MAX).creator()], [Some(7), Some(0), None]);
    }
}
