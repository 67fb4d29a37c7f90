//! A running median in shared memory.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A running median of values that are often the same and sometimes far larger. All zero without values.
#[repr(transparent)]
#[derive(Debug)]
pub struct Median(AtomicU64);

impl Median {
    /// Adds a value. The first ones may be far from the others: the median adapts quickly while there are `few`.
    #[inline]
    pub fn put(&self, value: u64, few: bool) {
        self.0.store(Self::after(self.get(), value, few), Relaxed);
    }

    /// The median that follows `now` after one more value.
    #[inline]
    pub fn after(now: u64, value: u64, few: bool) -> u64 {
        let step = now / if few { 4 } else { 32 } + 1;
        match now {
            0 => value,
            now if value > now => now + step.min(value - now),
            now => now - step.min(now - value),
        }
    }

    /// The median, as far as it is known; 0 without any value.
    #[inline(always)]
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}
