//! Figures of a thread's time by its scheduling state, in the shared memory.

use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::activity::ACTIVITIES;

/// Source of a thread's time without a processor. Values of [`ProcessorTime::source`].
pub mod source {
    /// An estimate by the number of context switches: the thread was short-lived.
    pub const SWITCHES: u16 = 1;
    /// The kernel's `schedstat`.
    pub const SCHEDSTAT: u16 = 2;
    /// An estimate by the number of context switches: `schedstat` can't be read.
    pub const REFUSED: u16 = 3;
}

/// A thread's time by scheduling state. Part of its slot, with the same writer; at the process's end the thread that runs
/// the exit handlers writes those of threads that are still alive.
#[repr(C)]
#[derive(Debug)]
pub struct ProcessorTime {
    /// End of the part of the thread's time that has been counted, in nanoseconds of that time.
    pub counted_ns: AtomicU64,
    /// Time on a processor, up to there.
    pub cpu_ns: AtomicU64,
    /// Time ready without a processor.
    pub delay_ns: AtomicU64,
    /// Number of times that it got a processor, if `schedstat` reports it. For the last user of the slot.
    pub runs: AtomicU32,
    /// Number of times that the kernel has moved it to another processor, if it lived for long and the kernel reports
    /// it.
    pub moves: AtomicU32,
    /// Time off the processors by [`Activity`](super::layout::Activity), charged at each reading.
    pub off_ns: [AtomicU64; ACTIVITIES],
    /// See [`source`].
    pub source: AtomicU16,
    /// Not 0: the thread ran the process's exit handlers.
    pub exiting: AtomicU16,
    /// Offset (modulo 2^32) from the kernel's count to `moves`.
    pub moves_from: AtomicU32,
    /// Offset (modulo 2^64) from the thread's CPU clock to `cpu_ns`.
    pub cpu_from: AtomicU64,
    /// Offset from the kernel's delay to `delay_ns`.
    pub delay_from: AtomicU64,
}

impl ProcessorTime {
    /// Time on a processor and time ready without one, by the kernel's counts of the slot's thread now.
    #[inline]
    pub fn by_counts(&self, cpu_ns: u64, delay_ns: u64) -> [u64; 2] {
        [(&self.cpu_from, cpu_ns), (&self.delay_from, delay_ns)].map(|(from, ns)| from.load(Relaxed).wrapping_add(ns))
    }
}
