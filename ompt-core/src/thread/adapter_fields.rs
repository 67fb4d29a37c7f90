//! Fields that adapters of runtimes keep in a thread's record.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The number of words that a thread keeps for each of two adapters.
pub const ADAPTER_WORDS: usize = 16;

/// Flag above the number that a thread will have in its team.
const EXPECTED: u64 = 1 << 32;

/// Fields that the runtime's adapter writes, and those of the adapter for instrumented code, which may run alongside
/// it.
pub struct AdapterFields {
    words: [AtomicU64; ADAPTER_WORDS],
    instrumentation_words: [AtomicU64; ADAPTER_WORDS],
    /// The frame in which a worker waits for its next region; 0 if it is not known.
    idle_frame: AtomicUsize,
    /// The number that the adapter has announced for the next team; 0: none.
    expected: AtomicU64,
}

system::zeroed!(AdapterFields { words, instrumentation_words, idle_frame, expected });

impl AdapterFields {
    /// Reinitialises the record, except for the words, for another thread.
    pub(super) fn renew(&self) {
        self.idle_frame.store(0, Relaxed);
    }

    /// The words of the runtime's adapter, with the values that it, or an earlier thread with the same record, has left in them. The
    /// adapter names all of them in one place, by a pattern.
    #[inline(always)]
    pub fn words(&self) -> &[AtomicU64; ADAPTER_WORDS] {
        &self.words
    }

    /// The words of the adapter for instrumented code, like [`Self::words`].
    #[inline(always)]
    pub fn instrumentation_words(&self) -> &[AtomicU64; ADAPTER_WORDS] {
        &self.instrumentation_words
    }

    /// The frame in which a worker waits for its next region, or 0. Async-signal-safe.
    #[inline]
    pub fn idle_frame(&self) -> usize {
        self.idle_frame.load(Relaxed)
    }

    /// Sets the frame in which a worker waits for regions.
    #[inline]
    pub fn set_idle_frame(&self, frame: usize) {
        self.idle_frame.store(frame, Relaxed);
    }

    /// Announces the number that the thread will have in the team that it joins next.
    pub fn expect_number(&self, number: u32) {
        self.expected.store(u64::from(number) | EXPECTED, Relaxed);
    }

    /// Takes the announced number, if there is one. It is valid for one team only.
    #[allow(clippy::cast_possible_truncation)] // takes its low half
    pub fn take_expected_number(&self) -> Option<u32> {
        let expected = self.expected.load(Relaxed);
        self.expected.store(0, Relaxed);
        (expected & EXPECTED != 0).then_some(expected as u32)
    }
}
