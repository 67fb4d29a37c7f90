//! Gaps in the dead part of a thread's stack: parts of large frames that were not accessed.
//!
//! A search for accesses there ends at a gap that is too long. A large array in a frame is one, and searching across it at
//! each task would be expensive. So gaps are measured, by a far search, the first time that a function is seen, and now and
//! then.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::shadow;

/// Length of a gap that is always searched, and maximum length of those that are measured, in bytes.
const USUAL: usize = 2048;
const MAX_DISTANCE: usize = 512 << 10;
/// Number of functions that are remembered.
const FUNCTIONS: usize = 64;

/// Lengths of the gaps of a thread's stack.
#[derive(Debug)]
pub(crate) struct Depth {
    /// Gaps up to this length are searched.
    gap: AtomicUsize,
    searches: AtomicU64,
    /// Functions whose gaps were measured; 0 if unused.
    functions: [AtomicUsize; FUNCTIONS],
}

impl Default for Depth {
    fn default() -> Self {
        Self {
            gap: AtomicUsize::new(USUAL),
            searches: AtomicU64::new(0),
            functions: [const { AtomicUsize::new(0) }; FUNCTIONS],
        }
    }
}

impl Depth {
    /// Forgets the accesses below an address of the thread's stack, which is dead there. `function` is the code that is about to
    /// be executed there, or was.
    pub(crate) fn forget_below(&self, top: usize, function: usize) {
        let count = self.searches.fetch_add(1, Relaxed);
        let gap = self.gap.load(Relaxed);
        if !self.is_new(function) && !count.is_power_of_two() {
            shadow::clear_below(top, gap);
            return;
        }
        let longest = shadow::clear_below(top, MAX_DISTANCE);
        if longest >= gap {
            self.gap.store((longest + USUAL).min(MAX_DISTANCE), Relaxed);
        }
    }

    /// True for a function that was not known, which is added.
    fn is_new(&self, function: usize) -> bool {
        let start = function.wrapping_mul(0x9e37_79b9) >> 8;
        for step in 0..FUNCTIONS {
            let Some(place) = self.functions.get((start + step) % FUNCTIONS) else { return false };
            match place.load(Relaxed) {
                0 => {
                    place.store(function, Relaxed);
                    return function != 0;
                }
                known if known == function => return false,
                _ => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_new_once_and_not_when_there_are_too_many() {
        let depth = Depth::default();
        assert!(depth.is_new(0x1000) && !depth.is_new(0x1000) && !depth.is_new(0));
        assert_eq!((2..100).filter(|number| depth.is_new(number * 0x40)).count(), FUNCTIONS - 1);
    }
}
