//! A histogram of times in shared memory, with steps of equal ratio.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Number of steps of a fine histogram: four to an octave, up to 2^35 ticks.
pub const FINE: usize = 136;
/// Number of steps of a coarse one: one to an octave.
pub const COARSE: usize = 36;

/// A histogram of lengths of time, in steps of equal ratio.
#[repr(transparent)]
#[derive(Debug)]
pub struct Histogram<const STEPS: usize>([AtomicU32; STEPS]);

impl<const STEPS: usize> Histogram<STEPS> {
    /// The logarithm of the number of steps in an octave.
    const OCTAVE: u32 = if STEPS == FINE { 2 } else { 0 };

    /// Adds a time.
    #[inline(always)]
    pub fn put(&self, value: u64) {
        self.put_in(Self::step(value));
    }

    /// Adds a time of that [step](Self::step).
    #[inline(always)]
    pub fn put_in(&self, step: usize) {
        if let Some(step) = self.0.get(step.min(STEPS - 1)) {
            step.store(step.load(Relaxed).wrapping_add(1), Relaxed);
        }
    }

    /// All steps: the first time beyond each, and the number of times in it.
    #[inline]
    pub fn steps(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().enumerate().map(|(place, count)| (Self::bound(place + 1), u64::from(count.load(Relaxed))))
    }

    /// The step that a time belongs to. The first ones are 0, 1 and so on; then each octave has the same number.
    #[inline(always)]
    pub fn step(value: u64) -> usize {
        let octave = (value | 1 << Self::OCTAVE).ilog2() - Self::OCTAVE;
        ((octave as usize) << Self::OCTAVE) + usize::try_from(value >> octave).unwrap_or(usize::MAX)
    }

    /// The first time in a step.
    fn bound(step: usize) -> u64 {
        let octave = (step >> Self::OCTAVE).saturating_sub(1);
        ((step - (octave << Self::OCTAVE)) as u64) << octave
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lies_in_its_step<const STEPS: usize>() {
        for value in (0..5000).chain([1 << 20, (1 << 20) + 1, 3 << 19, (1 << 32) - 1, (1 << 35) - 1]) {
            let place = Histogram::<STEPS>::step(value);
            assert!(place < STEPS && Histogram::<STEPS>::bound(place) <= value, "{value} in {place}");
            assert!(value < Histogram::<STEPS>::bound(place + 1), "{value} in {place}");
        }
    }

    #[test]
    fn every_time_lies_in_its_step() {
        lies_in_its_step::<FINE>();
        lies_in_its_step::<COARSE>();
        let histogram = Histogram([const { AtomicU32::new(0) }; COARSE]);
        histogram.put(u64::MAX);
        assert_eq!(histogram.steps().last().unwrap().1, 1);
    }

    #[test]
    fn a_step_is_a_quarter_of_an_octave() {
        let bounds: Vec<u64> = (0..14).map(Histogram::<FINE>::bound).collect();
        assert_eq!(bounds, [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20]);
        assert_eq!((0..6).map(Histogram::<COARSE>::bound).collect::<Vec<_>>(), [0, 1, 2, 4, 8, 16]);
    }
}
