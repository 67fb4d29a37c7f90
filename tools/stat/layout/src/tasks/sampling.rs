//! The selection of undeferred tasks on libgomp whose creations are measured: the first ones of a place, then one of [`EACH`], and
//! after many of these one of [`RARELY`].
//!
//! The others count as long as the typical one. That is valid while all are about as long: after a creation that is not, and after a long
//! task whose creation was not measured, many in a row are measured again.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::median::Median;

/// Number of creations of a place that are all measured on each thread; from then on one of [`EACH`] is.
const LEARNING: u32 = 64;
/// One of this many is measured then, on average. For each one a clock is read twice more, and some hundred
/// instructions are executed.
pub const EACH: u32 = 16;
/// One of this many is measured after a thousand regular ones (`CALM`), on average.
pub const RARELY: u32 = 64;
/// Number of measured creations without an outlier before fewer are measured.
const CALM: u32 = 1024;
/// Number of slow first creations: memory is touched for the first time.
const SLOW: u32 = 8;
/// An outlier takes at least this many times as long as the typical creation,
const OUTLIER_FACTOR: u64 = 8;
/// and at least this long: about a microsecond.
const OUTLIER_MIN_TICKS: u64 = 1 << 11;
/// Number of creations that are all measured after an outlier.
const AFTER_OUTLIER: u32 = 1024;
/// Number of them after a long task whose creation was not measured: part of its time may be the creation.
const AFTER_LONG: u32 = 64;
/// Length of tasks that make up for the measurement of their creation: about ten microseconds.
const LONG: u64 = 1 << 15;

/// The creations of one place on one thread. All zero if there were none.
#[repr(C)]
#[derive(Debug)]
pub struct Sampling {
    /// A typical time, of those that were measured.
    typical: Median,
    /// Number of following creations that are not measured.
    pause: AtomicU32,
    /// Number of following creations that are all measured.
    closely: AtomicU32,
    measured: AtomicU32,
    /// Number that were measured, one of [`EACH`], since the last outlier.
    calm: AtomicU32,
}

/// The lengths of pauses. All zero is also valid.
#[derive(Debug, Default)]
pub struct Pauses(u64);

impl Sampling {
    /// Lets a creation pass without measurement, and returns its assumed duration. `None` if it is to be measured.
    #[inline(always)]
    pub fn skip(&self) -> Option<u64> {
        let (pause, typical) = (self.pause.load(Relaxed), self.typical.get());
        if pause == 0 || typical == 0 {
            return None;
        }
        self.pause.store(pause - 1, Relaxed);
        Some(typical)
    }

    /// True if the next creation is to be measured.
    #[inline(always)]
    pub fn is_next(&self) -> bool {
        self.pause.load(Relaxed) == 0
    }

    /// Records a measured creation.
    #[inline]
    pub fn put(&self, took: u64, pauses: &mut Pauses) {
        let (measured, closely) = (self.measured.load(Relaxed), self.closely.load(Relaxed));
        let typical = self.typical.get();
        self.measured.store(measured.saturating_add(1), Relaxed);
        self.typical.put(took, measured < LEARNING);
        if measured >= SLOW && took >= OUTLIER_MIN_TICKS && took / OUTLIER_FACTOR >= typical {
            self.calm.store(0, Relaxed);
            self.measure_next(AFTER_OUTLIER);
        } else if closely > 0 {
            self.closely.store(closely - 1, Relaxed);
        } else if measured >= LEARNING && self.pause.load(Relaxed) == 0 {
            let calm = self.calm.load(Relaxed);
            self.calm.store(calm.saturating_add(1), Relaxed);
            self.pause.store(pauses.next(if calm < CALM { EACH } else { RARELY }), Relaxed);
        }
    }

    /// Records the execution time of a task whose creation was not measured.
    #[inline]
    pub fn executed(&self, execution: u64) {
        if Self::is_long(execution) {
            self.measure_next(AFTER_LONG);
        }
    }

    /// True if a task ran for so long that the next creations of its place are to be measured.
    #[inline(always)]
    pub fn is_long(execution: u64) -> bool {
        execution >= LONG
    }

    fn measure_next(&self, count: u32) {
        self.pause.store(0, Relaxed);
        self.closely.store(self.closely.load(Relaxed).max(count), Relaxed);
    }

    /// The number of creations that were measured.
    #[inline]
    pub fn measured(&self) -> u32 {
        self.measured.load(Relaxed)
    }
}

impl Pauses {
    /// The next length. Lengths vary, since a program's loops may be periodic; including the measured creation they are `each`
    /// long on average, at least half and at most one and a half times that.
    fn next(&mut self, each: u32) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        let high = self.0 >> 32;
        each / 2 - 1 + u32::try_from((high * u64::from(each + 1)) >> 32).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;
    use crate::tasks::layout::TasksArea;

    /// Creates `count` tasks whose creation times depend on their numbers; returns the numbers of those that were
    /// measured.
    fn create(count: u32, took: impl Fn(u32) -> u64) -> Vec<u32> {
        let shared = SharedArea::<TasksArea>::create(0).unwrap();
        let sampling = &shared.area().claim_cell().unwrap().sampling;
        let mut pauses = Pauses::default();
        let measured: Vec<u32> = (0..count)
            .filter(|number| {
                let is_measured = sampling.skip().is_none();
                if is_measured {
                    sampling.put(took(*number), &mut pauses);
                }
                is_measured
            })
            .collect();
        assert_eq!(sampling.measured() as usize, measured.len());
        measured
    }

    #[test]
    fn one_of_sixteen_and_later_of_64_is_measured_at_changing_distances() {
        let measured = create(200_000, |_| 200);
        assert_eq!(measured[..=LEARNING as usize], (0..=LEARNING).collect::<Vec<_>>());
        let (often, rarely) = measured[LEARNING as usize..].split_at(CALM as usize);
        for (measured, each) in [(often, EACH), (rarely, RARELY)] {
            let distances: Vec<u32> = measured.windows(2).map(|two| two[1] - two[0]).collect();
            let lengths = each / 2..=each * 3 / 2;
            assert!(distances.iter().all(|distance| lengths.contains(distance)), "{each}: {distances:?}");
            let missing = lengths.clone().filter(|length| !distances.contains(length)).count();
            assert!(missing <= 1, "{each}: {distances:?}");
            let mean = f64::from(distances.iter().sum::<u32>()) / distances.len() as f64;
            assert!((mean / f64::from(each) - 1.0).abs() < 0.03, "{each}: {mean}");
        }
        // No position in loops of these lengths is preferred.
        for period in [16, 32, 64] {
            let mut positions = vec![0; period as usize];
            measured.iter().for_each(|number| positions[(number % period) as usize] += 1);
            let each = measured.len() / period as usize;
            assert!(positions.iter().all(|count| (each / 2..each * 2).contains(count)), "{period}: {positions:?}");
        }
    }

    #[test]
    fn one_that_stands_out_is_looked_for_more_often_again() {
        let calm = 60_000;
        let measured = create(3 * calm, |number| if (calm..calm + 100).contains(&number) { 60_000 } else { 200 });
        let between = |from: u32, to: u32| measured.iter().filter(|number| (from..to).contains(number)).count();
        let rarely = between(calm - 10_000, calm);
        // Some that are all measured, and of the others one of sixteen.
        let (closely, often) = (between(calm, calm + 2000), between(calm + 2000, calm + 12_000));
        assert!((140..180).contains(&rarely) && (600..650).contains(&often), "{rarely} {often}");
        assert!(closely > AFTER_OUTLIER as usize, "{closely}");
        let rarely = between(3 * calm - 10_000, 3 * calm);
        assert!((140..180).contains(&rarely), "{rarely}");
    }

    #[test]
    fn creations_that_vary_are_all_measured() {
        let count = 10_000;
        let some_are_slow = |number: u32| if number.is_multiple_of(20) { 60_000 } else { 200 };
        assert_eq!(create(count, some_are_slow).len(), count as usize);
        // A single outlier is forgotten.
        let measured = create(count, |number| if number == 40 { 60_000 } else { 200 });
        let all = AFTER_OUTLIER + 40;
        assert!(measured[..all as usize].iter().eq((0..all).collect::<Vec<_>>().iter()));
        assert!(measured.len() < (all + count / 10) as usize, "{}", measured.len());
        // Slow creations may vary, if they don't take longer than the others.
        let measured = create(count, |number| if number.is_multiple_of(20) { 900 } else { 600 });
        assert!(measured.len() < (count / 10) as usize, "{}", measured.len());
    }
}
