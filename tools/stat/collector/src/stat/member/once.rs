//! The cost of what a thread does once: the creation of its record, its first events, which are slow, and its end.
//!
//! Of many threads some measure it, and count it for the others as well. The clock of events is that of all others. The record and the end wait
//! for locks of the kernel, so they are measured by the CPU clock, which takes a system call.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::{Local, Place};
use crate::processor;
use stat_layout::clock::monotonic_ns;

/// Number of a thread's first events whose time is measured as a whole.
const FIRST_EVENTS: u32 = 8;
/// Number of the process's first threads that each measure for themselves.
const FIRST_THREADS: u32 = 32;
/// After these, one thread out of this many measures for all of them. No multiple of the number of records that are mapped together: the
/// thread that maps them pays for all.
const EACH: u32 = 17;
/// An event that takes longer has lost its processor, and a record that takes longer is no example.
const OUTLIER_NS: u64 = 50_000;
/// Number of times that the reading of the clock is measured.
const CLOCK_TRIES: u32 = 4;

/// Time to read the CPU clock.
static CLOCK_NS: AtomicU64 = AtomicU64::new(0);
/// Number of the process's threads so far.
static THREADS: AtomicU32 = AtomicU32::new(0);

/// A thread's progress in what it does once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Once {
    /// Number of its first events so far.
    events: u32,
    /// Number of threads that it measures for; 0: it does not measure.
    threads: u32,
    /// Time of the creation of its record, which is not counted yet.
    pub(super) record_ns: u64,
}

impl Once {
    pub(super) const fn new() -> Self {
        Self { events: 0, threads: 1, record_ns: 0 }
    }

    /// A thread's record is about to be created. Also returns the CPU clock; 0 if the thread does not measure.
    pub(super) fn begin() -> (Self, u64) {
        let number = THREADS.fetch_add(1, Relaxed);
        if number == 0 {
            let readings = (0..CLOCK_TRIES).map(|_| processor::cpu_ns().abs_diff(processor::cpu_ns()));
            CLOCK_NS.store(readings.min().unwrap_or_default(), Relaxed);
        }
        let threads = match number {
            ..FIRST_THREADS => 1,
            _ if number.is_multiple_of(EACH) => EACH,
            _ => 0,
        };
        let once = Self { threads, ..Self::new() };
        (once, once.cpu_ns())
    }

    /// The same thread in another session, which it has had no event in.
    pub(super) fn again(self) -> Self {
        Self { events: 0, ..self }
    }

    /// The thread's record has been created. The library creates one of its own, which takes about as long.
    pub(super) fn end_record(&mut self, begun_cpu_ns: u64) {
        self.record_ns = 2 * self.cpu_cost_ns(begun_cpu_ns);
    }

    fn measures(&self) -> bool {
        self.threads > 0
    }

    /// The CPU clock; 0 if the thread does not measure. It is read twice, because a thread's first reading takes twice as long as
    /// another one.
    fn cpu_ns(&self) -> u64 {
        if !self.measures() {
            return 0;
        }
        processor::cpu_ns();
        processor::cpu_ns()
    }

    /// The cost of something that began at this time of the CPU clock, of all threads that it is measured for.
    fn cpu_cost_ns(&self, begun_cpu_ns: u64) -> u64 {
        if !self.measures() {
            return 0;
        }
        // The first reading ends, and the second one starts, within what is measured.
        let clock_ns = CLOCK_NS.load(Relaxed);
        let took_ns = processor::cpu_ns().saturating_sub(begun_cpu_ns).saturating_sub(clock_ns);
        let threads = if took_ns > OUTLIER_NS { 1 } else { u64::from(self.threads) };
        took_ns * threads + 3 * clock_ns
    }
}

impl Local {
    /// If the event that begins is one of the thread's first ones: the time, 0 if the thread does not measure.
    #[inline(always)]
    pub(in crate::stat) fn begin_first(&self) -> Option<u64> {
        (self.once.events < FIRST_EVENTS).then(|| self.begin_event())
    }

    #[cold]
    fn begin_event(&self) -> u64 {
        if self.once.measures() { monotonic_ns() } else { 0 }
    }

    /// The end of an event that is one of the first ones.
    #[cold]
    pub(in crate::stat) fn end_first(&mut self, begun_ns: u64) {
        self.once.events += 1;
        if !self.once.measures() {
            return;
        }
        let took_ns = monotonic_ns().saturating_sub(begun_ns);
        let event_ns = if took_ns > OUTLIER_NS { 0 } else { took_ns * u64::from(self.once.threads) };
        let record_ns = std::mem::take(&mut self.once.record_ns);
        self.count_once(record_ns + event_ns);
    }

    /// The thread is about to end: the CPU clock; 0 if the thread does not measure.
    #[cold]
    pub(in crate::stat) fn begin_once(&self) -> u64 {
        self.once.cpu_ns()
    }

    /// The end of a round of the thread's end.
    #[cold]
    pub(in crate::stat) fn end_once(&self, begun_cpu_ns: u64) {
        self.count_once(self.once.cpu_cost_ns(begun_cpu_ns));
    }

    /// Counts the time of something that is done once.
    #[cold]
    pub(in crate::stat) fn count_once(&self, ns: u64) {
        if let Place::Has(_, slot, _) = self.place {
            slot.watching.add_once(ns);
        }
    }
}
