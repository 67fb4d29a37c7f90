//! Sums of a thread's short waits.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Waits of a thread since its last signal, each too short for a sample of its own. Valid as zeros.
#[derive(Debug)]
pub(crate) struct ShortWaits {
    barrier_ns: AtomicU64,
    /// The region of the last wait.
    region: AtomicU64,
    idle_ns: AtomicU64,
}

impl ShortWaits {
    /// Resets the sums for the next thread that gets the record.
    pub(crate) fn forget(&self) {
        [&self.barrier_ns, &self.region, &self.idle_ns].into_iter().for_each(|word| word.store(0, Relaxed));
    }

    /// Sum of all of them, in nanoseconds.
    pub(crate) fn sum_ns(&self) -> u64 {
        self.barrier_ns.load(Relaxed).saturating_add(self.idle_ns.load(Relaxed))
    }

    /// Adds a wait at a barrier of this region.
    pub(crate) fn add_barrier(&self, region: u64, took_ns: u64) {
        self.barrier_ns.fetch_add(took_ns, Relaxed);
        self.region.store(region, Relaxed);
    }

    /// Adds a wait in the pool.
    pub(crate) fn add_idle(&self, took_ns: u64) {
        self.idle_ns.fetch_add(took_ns, Relaxed);
    }

    /// Takes the sums of waits at barriers and in the pool, in nanoseconds.
    pub(crate) fn take(&self) -> [u64; 2] {
        [&self.barrier_ns, &self.idle_ns].map(|sum| sum.swap(0, Relaxed))
    }

    /// The region of the last wait at a barrier.
    pub(crate) fn region(&self) -> u64 {
        self.region.load(Relaxed)
    }
}
