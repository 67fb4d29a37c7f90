//! Time that watching adds to a task that runs at once, on libgomp. It is kept out of the task's creation and out of its body, which
//! may be shorter.
//!
//! Such a task has two events: the begin of its creation, and its end. Of some tasks the library stamps the stages in between
//! ([`Stamps`]). Two stamps that follow one another are as far apart as reading the clock takes, and what lies between them.

use ora_client::Stamps;

use stat_layout::tasks::median::Median;

/// Knowledge of that time, in ticks. All zero is nothing.
#[derive(Debug)]
pub(super) struct Toll {
    /// The thread's stamps; `None` where the library makes none.
    stamps: Option<&'static Stamps>,
    /// Time between two readings of the clock,
    reading: u64,
    /// and between two stamps, which wait for what comes before.
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

/// So many readings of the clock are timed together,
const READINGS: u64 = 32;
/// so often.
const TRIES: u32 = 4;
/// So many measurements are few.
const FEW: u32 = 64;

impl Typical {
    fn put(&mut self, took: u64) {
        self.took = Median::after(self.took, took, self.count < FEW);
        self.count = self.count.saturating_add(1);
    }
}

impl Toll {
    /// Nothing is known, and stamps are there.
    #[cfg(test)]
    pub(super) fn new(stamps: &'static Stamps) -> Self {
        let nothing = || Typical { took: 0, count: 0 };
        Self { stamps: Some(stamps), reading: 0, stamping: 0, enter: nothing(), leave: nothing() }
    }

    /// A thread begins that has these stamps, and reads and stamps by that clock.
    pub(super) fn begin(&mut self, stamps: Option<&'static Stamps>, now: impl Fn() -> u64, stamp: impl Fn() -> u64) {
        self.stamps = stamps;
        (self.reading, self.stamping) = (quickest(now), quickest(stamp));
    }

    /// True if tasks may be stamped.
    #[inline(always)]
    pub(super) fn has_stamps(&self) -> bool {
        self.stamps.is_some()
    }

    /// Time from the callback at the begin of a creation to the task's body, without the creation itself.
    #[inline(always)]
    pub(super) fn enter(&self) -> u64 {
        self.enter.took
    }

    /// Time from the task's body to the callback at its end. The ways to other callbacks, and back from them, are about as long.
    #[inline(always)]
    pub(super) fn leave(&self) -> u64 {
        self.leave.took
    }

    /// The creation that began at that time in its callback, and the begin of the task's body: how long the creation took, and when the
    /// body began. `None`: this task has no stamps.
    pub(super) fn begun(&mut self, at: u64) -> Option<(u64, u64)> {
        let stamps = self.stamps?;
        let (created, entered, begun) = (stamps.created(), stamps.entered(), stamps.begun());
        if !(at..=entered).contains(&created) || begun < entered {
            return None;
        }
        // In place of two stamps there is one reading of the clock.
        let stamped = created - at + (begun - entered) + self.reading;
        self.enter.put(stamped.saturating_sub(2 * self.stamping));
        Some(((entered - created).saturating_sub(self.stamping), begun + self.stamping))
    }

    /// Time at which the body of the task was done that ends at that time in its callback, and had begun at that one.
    pub(super) fn done(&mut self, begun: u64, at: u64) -> u64 {
        let done = self.stamps.map_or(0, Stamps::done);
        if !(begun..=at).contains(&done) {
            return at.saturating_sub(self.leave());
        }
        self.leave.put((at - done).saturating_sub(self.reading));
        done
    }
}

/// The time between two readings: the shortest mean of some, since a counter may go in steps that are longer.
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
        let mut toll = Toll::new(stamps);
        (toll.reading, toll.stamping) = (5, 5);
        assert_eq!(toll.begun(100), Some((7, 177)));
        assert_eq!(toll.done(177, 237) - 177, 40);
        // Of a task without stamps, from the begin of the callback: reading, and both ways.
        assert_eq!((toll.enter(), toll.leave()), (5 + 30 + 20, 15));
    }

    #[test]
    fn stamps_of_another_task_count_for_nothing() {
        let stamps: &Stamps = Box::leak(Box::default());
        stamps.set([135, 147, 172, 217]);
        let mut toll = Toll::new(stamps);
        assert_eq!(toll.begun(136), None);
        assert_eq!((toll.done(218, 300), toll.done(1, 216), toll.enter(), toll.leave()), (300, 216, 0, 0));
        assert_eq!(Toll { stamps: None, ..Toll::new(stamps) }.begun(1), None);
    }

    #[test]
    fn reading_the_clock_takes_what_the_quickest_takes() {
        let time = std::cell::Cell::new(0_u64);
        let now = || {
            time.set(time.get() + if time.get() == 20 * 40 { 9000 } else { 20 });
            time.get()
        };
        let mut toll = Toll::new(Box::leak(Box::default()));
        toll.begin(None, now, || 0);
        assert_eq!((toll.reading, toll.stamping, toll.has_stamps()), (20, 0, false));
    }
}
