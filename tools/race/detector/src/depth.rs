//! Gaps in the dead part of a thread's stack: parts of large frames that were not accessed.
//!
//! A search for accesses there ends at a gap that is too long. A large array in a frame is one, and searching across it at
//! each task would be expensive. So the gaps are measured for each function, by a far search, the first time that it is seen, and now and
//! then. What is missed leads to reports that the verdict drops.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::shadow;

/// Length of a gap that is always searched, and maximum length of those that are measured, in bytes.
const USUAL: usize = 2048;
const MAX_DISTANCE: usize = 512 << 10;
/// Number of functions that are remembered.
const FUNCTIONS: usize = 64;

/// Gaps of a thread's stack, by function.
#[derive(Debug)]
pub(crate) struct Depth {
    functions: [Function; FUNCTIONS],
}

#[derive(Debug)]
struct Function {
    /// Address of its code; 0 if unused.
    code: AtomicUsize,
    /// Gaps up to this length are searched.
    gap: AtomicUsize,
    searches: AtomicU64,
}

impl Default for Depth {
    fn default() -> Self {
        Self { functions: [const { Function::unused() }; FUNCTIONS] }
    }
}

impl Depth {
    /// Forgets the accesses below an address of the thread's stack, which is dead there. `code` is what is about to be executed there,
    /// or was.
    pub(crate) fn forget_below(&self, top: usize, code: usize) {
        let Some(function) = self.function(code) else {
            shadow::clear_below(top, USUAL);
            return;
        };
        let count = function.searches.fetch_add(1, Relaxed) + 1;
        if !count.is_power_of_two() {
            shadow::clear_below(top, function.gap.load(Relaxed));
            return;
        }
        let longest = shadow::clear_below(top, MAX_DISTANCE);
        function.gap.store((longest + USUAL).min(MAX_DISTANCE), Relaxed);
    }

    /// The record of a function; `None` if there are too many.
    fn function(&self, code: usize) -> Option<&Function> {
        let start = code.wrapping_mul(0x9e37_79b9) >> 8;
        let places = (0..FUNCTIONS).filter_map(|step| self.functions.get((start + step) % FUNCTIONS));
        let found = places.filter(|_| code != 0).find(|function| [0, code].contains(&function.code.load(Relaxed)))?;
        found.code.store(code, Relaxed);
        Some(found)
    }
}

impl Function {
    const fn unused() -> Self {
        Self { code: AtomicUsize::new(0), gap: AtomicUsize::new(USUAL), searches: AtomicU64::new(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_keeps_its_record_and_those_beyond_the_table_have_none() {
        let depth = Depth::default();
        let known = depth.function(0x1000).unwrap();
        known.gap.store(5, Relaxed);
        assert_eq!((2..100).filter(|number| depth.function(number * 0x40 + 1).is_some()).count(), FUNCTIONS - 1);
        assert_eq!(depth.function(0x1000).map(|function| function.gap.load(Relaxed)), Some(5));
        assert!(depth.function(0).is_none());
    }
}
