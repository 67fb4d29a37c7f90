//! Time that watching adds to an undeferred task, on libgomp. It is kept out of the task's creation and out of its body, which may
//! be shorter.
//!
//! Such a task has two events: the start of its creation, and its end. For some tasks the library stamps the stages in
//! between ([`Stamps`]). The time between two consecutive stamps is that of reading the clock plus that of what lies between
//! them.

use ora_client::Stamps;

use stat_layout::tasks::median::Median;

/// Estimates of that time, in ticks. All zero if nothing is known.
#[derive(Debug)]
pub(super) struct UndeferredOverhead {
    /// The thread's stamps; `None` if the library makes none.
    stamps: Option<&'static Stamps>,
    /// Time between two readings of the clock,
    reading: u64,
    /// and between two stamps, which wait for preceding instructions.
    stamping: u64,
    enter: Typical,
    leave: Typical,
}

/// A running median.
#[derive(Debug)]
struct Typical {
    took: u64,
    count: u32,
}

/// Number of readings of the clock that are timed together.
const READINGS: u64 = 32;
/// Number of such measurements.
const TRIES: u32 = 4;
/// Below this many measurements the median adapts quickly.
const QUICK_SAMPLES: u32 = 64;

impl Typical {
    fn put(&mut self, took: u64) {
        self.took = Median::after(self.took, took, self.count < QUICK_SAMPLES);
        self.count = self.count.saturating_add(1);
    }
}

impl UndeferredOverhead {
    /// Nothing is known yet, and stamps are available.
    #[cfg(test)]
    pub(super) fn new(stamps: &'static Stamps) -> Self {
        let nothing = || Typical { took: 0, count: 0 };
        Self { stamps: Some(stamps), reading: 0, stamping: 0, enter: nothing(), leave: nothing() }
    }

    /// Starts a thread that has these stamps, and whose clocks are `now` and `stamp`.
    pub(super) fn begin(&mut self, stamps: Option<&'static Stamps>, now: impl Fn() -> u64, stamp: impl Fn() -> u64) {
        self.stamps = stamps;
        (self.reading, self.stamping) = (quickest(now), quickest(stamp));
    }

    /// True if tasks may be stamped.
    #[inline(always)]
    pub(super) fn has_stamps(&self) -> bool {
        self.stamps.is_some()
    }

    /// Time from the callback at the start of a creation to the task's body, without the creation itself.
    #[inline(always)]
    pub(super) fn enter(&self) -> u64 {
        self.enter.took
    }

    /// Time from the task's body to the callback at its end. The paths to other callbacks, and back from them, are
    /// about as long.
    #[inline(always)]
    pub(super) fn leave(&self) -> u64 {
        self.leave.took
    }

    /// Time that a stamp takes. It is a part of neither [`enter`](Self::enter) nor [`leave`](Self::leave).
    #[inline(always)]
    pub(super) fn stamping(&self) -> u64 {
        self.stamping
    }

    /// For a creation that began at `at` in its callback: how long the creation took, and when the task's body began. `None` if this
    /// task has no stamps.
    pub(super) fn begun(&mut self, at: u64) -> Option<(u64, u64)> {
        let stamps = self.stamps?;
        let (created, entered, begun) = (stamps.created(), stamps.entered(), stamps.begun());
        if !(at..=entered).contains(&created) || begun < entered {
            return None;
        }
        // One reading of the clock takes the place of two stamps.
        let stamped = created - at + (begun - entered) + self.reading;
        self.enter.put(stamped.saturating_sub(2 * self.stamping));
        Some(((entered - created).saturating_sub(self.stamping), begun + self.stamping))
    }

    /// Time at which a task's body ended, for a task that began at `begun` and ended at `at` in its callback.
    pub(super) fn done(&mut self, begun: u64, at: u64) -> u64 {
        let done = self.stamps.map_or(0, Stamps::done);
        if !(begun..=at).contains(&done) {
            return at.saturating_sub(self.leave());
        }
        self.leave.put((at - done).saturating_sub(self.reading));
        done
    }
}

/// The time between two readings: the shortest mean of several measurements, since a counter may advance in longer
/// steps.
fn quickest(now: impl Fn() -> u64) -> u64 {
    let mut last = 0;
    let mut readings = || {
        let begun = now();
        (0..READINGS).for_each(|_| read(&mut last, &now));
        (last.saturating_sub(begun) + READINGS / 2) / READINGS
    };
    (0..TRIES).map(|_| readings()).min().unwrap_or_default()
}

/// Reads the time as the library does for a stamp, in a call that stores it.
#[inline(never)]
fn read(to: &mut u64, now: impl Fn() -> u64) {
    *to = now();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creation_and_body_have_nothing_of_what_is_around_them() {
        // Reading takes 5. The callback and the way: 30 and 5; the creation: 7 and 5; the way: 20 and 5; the body: 40 and 5; out: 15 and 5.
        let stamps: &Stamps = Box::leak(Box::default());
        stamps.set([135, 147, 172, 217]);
        let mut overhead = UndeferredOverhead::new(stamps);
        (overhead.reading, overhead.stamping) = (5, 5);
        assert_eq!(overhead.begun(100), Some((7, 177)));
        assert_eq!(overhead.done(177, 237) - 177, 40);
        // For a task without stamps, from the start of the callback: reading, and both paths.
        assert_eq!((overhead.enter(), overhead.leave()), (5 + 30 + 20, 15));
    }

    #[test]
    fn stamps_of_another_task_count_for_nothing() {
        let stamps: &Stamps = Box::leak(Box::default());
        stamps.set([135, 147, 172, 217]);
        let mut overhead = UndeferredOverhead::new(stamps);
        assert_eq!(overhead.begun(136), None);
        assert_eq!(
            (overhead.done(218, 300), overhead.done(1, 216), overhead.enter(), overhead.leave()),
            (300, 216, 0, 0)
        );
        assert_eq!(UndeferredOverhead { stamps: None, ..UndeferredOverhead::new(stamps) }.begun(1), None);
    }

    #[test]
    fn reading_the_clock_takes_what_the_quickest_takes() {
        let time = std::cell::Cell::new(0_u64);
        let now = || {
            time.set(time.get() + if time.get() == 20 * 40 { 9000 } else { 20 });
            time.get()
        };
        let mut overhead = UndeferredOverhead::new(Box::leak(Box::default()));
        overhead.begin(None, now, || 0);
        assert_eq!((overhead.reading, overhead.stamping, overhead.has_stamps()), (20, 0, false));
    }
}
