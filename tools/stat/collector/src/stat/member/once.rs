//! The cost of what a thread does once: the creation of its record, its first events, which are slow, and its end.
//!
//! Some threads measure it by their CPU clock. Each reading takes a system call, so the others count the mean.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::{Local, Place};
use crate::processor;

/// Number of a thread's first events whose time is measured as a whole.
const FIRST_EVENTS: u32 = 8;
/// Position of a thread's end in [`MEAN_NS`], after the first events.
const END: u32 = FIRST_EVENTS;
/// Position of the creation of a thread's record, after the two rounds of its end.
const RECORD: u32 = END + 2;
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
/// Mean time of each of the first events, of the two rounds of a thread's end, and of a record. 0: none was measured.
static MEAN_NS: [AtomicU64; RECORD as usize + 1] = [const { AtomicU64::new(0) }; RECORD as usize + 1];

/// A thread's progress in what it does once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Once {
    /// Number of its first events so far.
    events: u32,
    measures: bool,
    /// Time of the creation of its record, which is not counted yet.
    pub(super) record_ns: u64,
}

impl Once {
    pub(super) const fn new() -> Self {
        Self { events: 0, measures: true, record_ns: 0 }
    }

    /// A thread's record is about to be created. Also returns the CPU clock; 0 if the thread does not measure.
    pub(super) fn begin() -> (Self, u64) {
        let number = THREADS.fetch_add(1, Relaxed);
        if number == 0 {
            let readings = (0..CLOCK_TRIES).map(|_| processor::cpu_ns().abs_diff(processor::cpu_ns()));
            CLOCK_NS.store(readings.min().unwrap_or_default(), Relaxed);
        }
        let once = Self { measures: number < FIRST_THREADS || number.is_multiple_of(EACH), ..Self::new() };
        (once, once.cpu_ns())
    }

    /// The same thread in another session, which it has had no event in.
    pub(super) fn again(self) -> Self {
        Self { events: 0, ..self }
    }

    /// The thread's record has been created.
    pub(super) fn end_record(&mut self, begun_cpu_ns: u64) {
        self.record_ns = self.cost_ns(RECORD, begun_cpu_ns, 1);
    }

    /// The CPU clock; 0 if the thread does not measure.
    fn cpu_ns(&self) -> u64 {
        if self.measures { processor::cpu_ns() } else { 0 }
    }

    /// The cost of something that has taken the time since `begun_cpu_ns`, in this many copies.
    fn cost_ns(&self, which: u32, begun_cpu_ns: u64, times: u64) -> u64 {
        let Some(mean) = MEAN_NS.get(which as usize) else { return 0 };
        let mean_ns = mean.load(Relaxed);
        if !self.measures {
            return mean_ns * times;
        }
        // The first reading ends, and the second one starts, within what is measured.
        let clock_ns = CLOCK_NS.load(Relaxed);
        let took_ns = processor::cpu_ns().saturating_sub(begun_cpu_ns).saturating_sub(clock_ns);
        // Of threads that store it simultaneously, one measurement counts.
        mean.store(if mean_ns == 0 { took_ns } else { (mean_ns * 7 + took_ns) / 8 }, Relaxed);
        took_ns * times + 2 * clock_ns
    }
}

impl Local {
    /// If the event that begins is one of the thread's first ones: the CPU clock, 0 if the thread does not measure.
    #[inline(always)]
    pub(in crate::stat) fn begin_first(&self) -> Option<u64> {
        (self.once.events < FIRST_EVENTS).then(|| self.begin_once())
    }

    /// The CPU clock; 0 if the thread does not measure.
    #[cold]
    pub(in crate::stat) fn begin_once(&self) -> u64 {
        self.once.cpu_ns()
    }

    /// The end of an event that is one of the first ones. The library also creates its records in them, which takes
    /// about as long.
    #[cold]
    pub(in crate::stat) fn end_first(&mut self, begun_cpu_ns: u64) {
        let record_ns = std::mem::take(&mut self.once.record_ns);
        self.count_once(record_ns + self.once.cost_ns(self.once.events, begun_cpu_ns, 2));
        self.once.events += 1;
    }

    /// The end of a round of the thread's end.
    #[cold]
    pub(in crate::stat) fn end_once(&self, begun_cpu_ns: u64, is_first: bool) {
        self.count_once(self.once.cost_ns(END + u32::from(!is_first), begun_cpu_ns, 1));
    }

    /// Counts the time of something that is done once.
    #[cold]
    pub(in crate::stat) fn count_once(&self, ns: u64) {
        if let Place::Has(_, slot, _) = self.place {
            slot.watching.add_once(ns);
        }
    }
}
