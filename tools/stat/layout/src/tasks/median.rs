//! A running median in shared memory.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A running median, of what is often the same and sometimes far more. All zero is one of nothing.
#[repr(transparent)]
#[derive(Debug)]
pub struct Median(AtomicU64);

impl Median {
    /// One more. The first ones may be far from the others: it moves fast while there are `few`.
    #[inline]
    pub fn put(&self, value: u64, few: bool) {
        self.0.store(Self::after(self.get(), value, few), Relaxed);
    }

    /// One that was `now`, after one more.
    #[inline]
    pub fn after(now: u64, value: u64, few: bool) -> u64 {
        let step = now / if few { 4 } else { 32 } + 1;
        match now {
            0 => value,
            now if value > now => now + step.min(value - now),
            now => now - step.min(now - value),
        }
    }

    /// It, as far as it is known; 0: nothing was put.
    #[inline(always)]
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}
