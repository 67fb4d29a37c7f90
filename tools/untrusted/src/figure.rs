//! Counts and times that come from another process, or from the writer of a recording. They may have any value up to the largest
//! number; sums of them neither wrap nor panic.
//!
//! Each figure is bounded when it is read, and each sum over entries is bounded again. So sums of a few figures or sums can't
//! overflow.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Maximum of a figure, and of a sum over entries. As a time in nanoseconds it is 36 years of all threads together. Fifteen of them
/// add up to less than `u64::MAX`.
pub const LARGEST: u64 = 1 << 60;

/// A figure, bounded by [`LARGEST`].
pub fn bounded(said: u64) -> u64 {
    said.min(LARGEST)
}

/// A figure in memory that another process writes.
pub fn read(from: &AtomicU64) -> u64 {
    bounded(from.load(Relaxed))
}

/// Sum of two figures, bounded as well.
pub fn sum(one: u64, other: u64) -> u64 {
    bounded(one.saturating_add(other))
}

/// Sum over entries, if the figure of each is known.
pub fn total_if_known(mut figures: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    figures.try_fold(0, |all, figure| Some(sum(all, figure?)))
}

/// Sums over entries.
pub trait Total: Iterator {
    /// Sum of the entries, bounded by [`LARGEST`].
    fn total(self) -> u64;
}

impl<I: Iterator<Item = u64>> Total for I {
    fn total(self) -> u64 {
        self.fold(0, sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_forged_figures_end_at_the_largest_one() {
        assert_eq!(bounded(u64::MAX), LARGEST);
        assert_eq!([7, 8].into_iter().total(), 15);
        assert_eq!([u64::MAX; 3].into_iter().total(), LARGEST);
        assert_eq!(total_if_known([Some(7), Some(u64::MAX)].into_iter()), Some(LARGEST));
        assert_eq!(total_if_known([Some(7), None].into_iter()), None);
        assert_eq!(read(&AtomicU64::new(1 << 63)), LARGEST);
        assert!(LARGEST.checked_mul(15).is_some());
    }
}
