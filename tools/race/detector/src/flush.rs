//! Flushes (`#pragma omp flush`, `atomic_thread_fence`), from which ThreadSanitizer derives no order: compilers call
//! it at each of them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::history::Construct;

/// The last flush of a thread. Its owner writes; reports read.
#[derive(Debug, Default)]
pub(crate) struct LastFlush {
    /// Number of the region's instance; 0 if there is none.
    region: AtomicU64,
    /// Barriers that the thread had left.
    barriers: AtomicU64,
}

impl LastFlush {
    /// Records a flush in the region of this number (0: none), after `barriers` barriers.
    pub(crate) fn note(&self, region: u64, barriers: u64) {
        self.region.store(region, Relaxed);
        self.barriers.store(barriers, Relaxed);
    }

    /// True if it was in the region of a construct.
    pub(crate) fn is_in_region_of(&self, construct: Construct) -> bool {
        construct.region.is_some_and(|region| region.id == self.region.load(Relaxed))
    }

    /// True if the thread had left as many barriers then.
    pub(crate) fn is_after(&self, barriers: u64) -> bool {
        self.barriers.load(Relaxed) == barriers
    }
}
