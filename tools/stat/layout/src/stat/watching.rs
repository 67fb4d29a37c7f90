//! Cost of watching: the number of a thread's events, and the time that an event of each kind takes, measured now and then.
//!
//! An event costs the time in its callback, and the path to it through runtime and library, which can't be timed from here: it
//! is about as long as that of a request, and longer where a region begins or ends. With several threads in a team it is as long
//! as the callback (measured), since what one thread has written has to reach another's processor.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::process_table::add;

/// Number of kinds of events that are distinguished.
pub const KINDS: usize = 4;

/// Kind of an event, by the work of its callback.
#[repr(usize)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A task begins or ends in work, or anything happens too deep: no clock is read.
    WithoutClock = 0,
    /// A region of one thread begins or ends.
    Region = 1,
    /// All others.
    Other = 2,
    /// A region of several threads begins or ends, or a thread's wait at one of its barriers or in the pool.
    Team = 3,
}

/// Length of the path to an event in requests, by kind.
const WAY: [u64; KINDS] = [1, 3, 1, 0];
/// Time that an event adds, in multiples of its callback's time: in a team the path is as long.
const ADDED: [u64; KINDS] = [1, 1, 1, 2];
/// Length of the path through the library of a counted task, in requests.
const WAY_OF_A_TASK: u64 = 3;
/// One event out of this many of its kind is measured.
const EACH: u64 = 256;
/// Number of the first measured event. Those before it are slow: memory is touched for the first time.
const WHICH: u64 = 8;
/// The number within the interval rises by one each time, up to this: a region raises its events in the same order
/// each time.
const SHIFT: u64 = 8;
/// A measurement of this many times the mean shows that the thread lost its processor.
const OUTLIER: u64 = 8;
/// So does a first measurement of this many requests.
const FIRST_OUTLIER: u64 = 512;

/// The events of one thread. Part of its slot, with the same writer.
#[repr(C)]
#[derive(Debug)]
pub struct Watching {
    events: [AtomicU64; KINDS],
    /// Mean time in the callback, in 1/16 ns.
    took: [AtomicU64; KINDS],
    /// Mean time in a request, in 1/16 ns.
    request: AtomicU64,
    /// Number of tasks without events.
    tasks: AtomicU64,
    /// Time of what is done once: start and end of the thread, and its first events.
    once_ns: AtomicU64,
}

impl Watching {
    /// Counts an event. Returns true if it is to be measured.
    #[inline(always)]
    pub fn count(&self, kind: Kind) -> bool {
        let Some(events) = self.events.get(kind as usize) else { return false };
        add(events, 1);
        is_measured(events.load(Relaxed))
    }

    /// True if the next event of this kind is to be measured.
    #[inline(always)]
    pub fn is_next(&self, kind: Kind) -> bool {
        self.events.get(kind as usize).is_some_and(|events| is_measured(events.load(Relaxed) + 1))
    }

    /// Counts tasks without events that the thread has run.
    #[inline]
    pub fn count_tasks(&self, tasks: u64) {
        add(&self.tasks, tasks);
    }

    /// Adds the time of something that is done once.
    #[inline]
    pub fn add_once(&self, ns: u64) {
        add(&self.once_ns, ns);
    }

    /// Sets the time of a request, as far as it is known.
    #[inline]
    pub fn request_takes(&self, request_ns: u64) {
        self.request.store(request_ns.saturating_mul(UNIT), Relaxed);
    }

    /// Records the measured times of a callback and of a request.
    #[inline]
    pub fn measured(&self, kind: Kind, callback_ns: u64, request_ns: u64) {
        let Some(took) = self.took.get(kind as usize) else { return };
        let longest = self.request.load(Relaxed).saturating_mul(FIRST_OUTLIER);
        if took.load(Relaxed) > 0 || callback_ns.saturating_mul(UNIT) < longest {
            mean(took, callback_ns);
        }
        mean(&self.request, request_ns);
    }

    /// Estimate of the time that watching has added.
    #[inline]
    pub fn added_ns(&self) -> u64 {
        // A process may write any number to the memory that it shares.
        let request = self.request.load(Relaxed);
        let kinds = self.events.iter().zip(&self.took).zip(WAY.into_iter().zip(ADDED));
        let tasks_ns = self.tasks.load(Relaxed).saturating_mul(WAY_OF_A_TASK).saturating_mul(request) / UNIT;
        let events = kinds.map(|((events, took), (way, times))| {
            let each = took.load(Relaxed).saturating_mul(times).saturating_add(request.saturating_mul(way));
            events.load(Relaxed).saturating_mul(each) / UNIT
        });
        events.fold(tasks_ns, u64::saturating_add).saturating_add(self.once_ns.load(Relaxed))
    }
}

/// True if the event with this number, of its kind, is to be measured.
#[inline(always)]
fn is_measured(event: u64) -> bool {
    event % EACH == WHICH + event / EACH % SHIFT
}

/// Means are kept in units of 1/16 of a nanosecond.
const UNIT: u64 = 16;

/// Updates a running mean. 0: there is none yet.
fn mean(of: &AtomicU64, took_ns: u64) {
    let (before, took) = (of.load(Relaxed), took_ns.saturating_mul(UNIT));
    if before == 0 {
        of.store(took, Relaxed);
    } else if took < before.saturating_mul(OUTLIER) {
        of.store((before * 7 + took) / 8, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;
    use crate::stat::layout::Area;

    #[test]
    fn events_cost_what_some_of_them_took() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let (_, slot) = shared.area().claim_thread().unwrap();
        let watching = &slot.watching;
        watching.request_takes(10);
        let mut measured = 0;
        for n in 0..10 * EACH {
            if watching.count(Kind::Other) {
                // Two of them, including the first one, were interrupted for 10 ms.
                watching.measured(Kind::Other, if matches!(n / EACH, 0 | 5) { 10_000_000 } else { 40 }, 10);
                measured += 1;
            }
        }
        assert_eq!((measured, watching.added_ns()), (10, 10 * EACH * 50));
        assert!(!watching.count(Kind::WithoutClock));
        let others_ns = watching.added_ns();
        for _ in 0..EACH {
            if watching.count(Kind::Team) {
                watching.measured(Kind::Team, 40, 10);
            }
        }
        // The callback, and the path to it.
        assert_eq!(watching.added_ns() - others_ns, EACH * 80);
    }
}
