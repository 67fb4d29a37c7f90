//! Flushes (`#pragma omp flush`, `atomic_thread_fence`), of which ThreadSanitizer makes no order: compilers call it at each of them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::history::Construct;
use crate::thread::Thread;

/// The last flush of a thread. Its owner writes; reports read.
#[derive(Debug, Default)]
pub(crate) struct LastFlush {
    /// Number of the region's instance; 0: none.
    region: AtomicU64,
    /// Barriers that the thread had left.
    barriers: AtomicU64,
}

impl LastFlush {
    /// Notes a flush of the thread.
    pub(crate) fn note(&self, thread: &Thread) {
        let region = thread.task.get().and_then(|task| task.region.get());
        self.region.store(region.map_or(0, |region| region.id.load(Relaxed)), Relaxed);
        self.barriers.store(thread.barriers.load(Relaxed), Relaxed);
    }

    /// True if it was in the region of a construct.
    pub(crate) fn is_in_region_of(&self, construct: Construct) -> bool {
        construct.region.is_some_and(|region| region.id == self.region.load(Relaxed))
    }

    /// True if the thread has come to no barrier since.
    pub(crate) fn is_since_barrier(&self, thread: &Thread) -> bool {
        self.barriers.load(Relaxed) == thread.barriers.load(Relaxed)
    }
}
