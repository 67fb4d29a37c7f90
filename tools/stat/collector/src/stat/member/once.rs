//! The cost of what a thread does once: its first events, which are slow, and its end.
//!
//! Some threads measure it by their CPU clock. Each reading takes a system call, so the others count the mean.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::{Local, Place};
use crate::processor;

/// Number of a thread's first events whose time is measured as a whole.
const FIRST_EVENTS: u32 = 8;
/// Position of a thread's end in [`MEAN_NS`], after the first events.
const END: u32 = FIRST_EVENTS;
/// Number of the process's first threads that measure. The very first ones touch memory for the first time, and are slower.
const FIRST_THREADS: u32 = 32;
/// After these, one thread out of this many measures.
const EACH: u32 = 16;

/// Number of times that the reading of the clock is measured.
const CLOCK_TRIES: u32 = 4;

/// Time to read the CPU clock.
static CLOCK_NS: AtomicU64 = AtomicU64::new(0);
/// Number of the process's threads so far.
static THREADS: AtomicU32 = AtomicU32::new(0);
/// Mean time of each of the first events, and of the two rounds of a thread's end. 0: none was measured.
static MEAN_NS: [AtomicU64; FIRST_EVENTS as usize + 2] = [const { AtomicU64::new(0) }; FIRST_EVENTS as usize + 2];

/// A thread's progress in what it does once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Once {
    /// Number of its first events so far.
    events: u32,
    measures: bool,
}

impl Once {
    pub(super) const fn new() -> Self {
        Self { events: 0, measures: true }
    }
}

impl Local {
    /// If the event that begins is one of the thread's first ones: the CPU clock, 0 if the thread does not measure.
    #[inline(always)]
    pub(in crate::stat) fn begin_first(&mut self) -> Option<u64> {
        (self.once.events < FIRST_EVENTS).then(|| self.begin_once())
    }

    #[cold]
    fn begin_once(&mut self) -> u64 {
        if self.once.events == 0 {
            let number = THREADS.fetch_add(1, Relaxed);
            self.once.measures = number < FIRST_THREADS || number.is_multiple_of(EACH);
            if number == 0 {
                let readings = (0..CLOCK_TRIES).map(|_| processor::cpu_ns().abs_diff(processor::cpu_ns()));
                CLOCK_NS.store(readings.min().unwrap_or_default(), Relaxed);
            }
        }
        self.clock_if_measured()
    }

    /// The CPU clock; 0 if the thread does not measure.
    pub(in crate::stat) fn clock_if_measured(&self) -> u64 {
        if self.once.measures { processor::cpu_ns() } else { 0 }
    }

    /// The end of an event that is one of the first ones. The library also creates its records in them, which takes
    /// about as long.
    #[cold]
    pub(in crate::stat) fn end_first(&mut self, begun_cpu_ns: u64) {
        self.add_once(self.once.events, begun_cpu_ns, 2);
        self.once.events += 1;
    }

    /// The end of a round of the thread's end.
    #[cold]
    pub(in crate::stat) fn end_once(&self, begun_cpu_ns: u64, is_first: bool) {
        self.add_once(END + u32::from(!is_first), begun_cpu_ns, 1);
    }

    fn add_once(&self, which: u32, begun_cpu_ns: u64, times: u64) {
        let Some(mean) = MEAN_NS.get(which as usize) else { return };
        let mean_ns = mean.load(Relaxed);
        if !self.once.measures {
            return self.count_once(mean_ns * times);
        }
        // The first reading ends, and the second one starts, within what is measured.
        let clock_ns = CLOCK_NS.load(Relaxed);
        let took_ns = processor::cpu_ns().saturating_sub(begun_cpu_ns).saturating_sub(clock_ns);
        // Of threads that store it simultaneously, one measurement counts.
        mean.store(if mean_ns == 0 { took_ns } else { (mean_ns * 7 + took_ns) / 8 }, Relaxed);
        self.count_once(took_ns * times + 2 * clock_ns);
    }

    /// Counts the time of something that is done once.
    #[cold]
    pub(in crate::stat) fn count_once(&self, ns: u64) {
        if let Place::Has(_, slot, _) = self.place {
            slot.watching.add_once(ns);
        }
    }
}
