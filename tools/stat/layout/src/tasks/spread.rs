//! Count, sum, extremes and histogram of times in shared memory.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::histogram::{FINE, Histogram};
use crate::process_table::{add, raise};

/// Count, sum, smallest and largest of some times, and how they spread.
#[repr(C)]
#[derive(Debug)]
pub struct Spread {
    /// Number of times.
    pub count: AtomicU64,
    /// Sum of the times.
    pub sum: AtomicU64,
    /// The largest.
    pub max: AtomicU64,
    /// The complement of the smallest, so that all zero means none.
    not_min: AtomicU64,
    /// Distribution of the times.
    pub steps: Histogram<FINE>,
}

impl Spread {
    /// Adds a time.
    #[inline]
    pub fn put(&self, value: u64) {
        self.put_in_place(value);
    }

    /// Like [`put`](Self::put), compiled into the caller.
    #[inline(always)]
    pub fn put_in_place(&self, value: u64) {
        add(&self.count, 1);
        add(&self.sum, value);
        raise(&self.max, value);
        raise(&self.not_min, !value);
        self.steps.put(value);
    }

    /// The step of the distribution that a time belongs to.
    #[inline(always)]
    pub fn step(value: u64) -> usize {
        Histogram::<FINE>::step(value)
    }

    /// Adds a time of that [step](Self::step) that is neither the smallest nor the largest.
    #[inline(always)]
    pub fn put_within(&self, value: u64, step: usize) {
        add(&self.count, 1);
        add(&self.sum, value);
        self.steps.put_in(step);
    }

    /// Adds a time of 0.
    #[inline(always)]
    pub fn put_none(&self) {
        add(&self.count, 1);
        self.not_min.store(u64::MAX, Relaxed);
        self.steps.put(0);
    }

    /// The smallest time; `None` without any.
    #[inline]
    pub fn min(&self) -> Option<u64> {
        (self.count.load(Relaxed) > 0).then(|| !self.not_min.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;
    use crate::tasks::layout::TasksArea;

    #[test]
    fn a_spread_knows_count_sum_and_extremes() {
        let shared = SharedArea::<TasksArea>::create(0).unwrap();
        let spread = &shared.area().claim_cell().unwrap().creation;
        assert_eq!(spread.min(), None);
        for value in [7, 0, 12] {
            spread.put(value);
        }
        let read = |a: &AtomicU64| a.load(Relaxed);
        assert_eq!((read(&spread.count), read(&spread.sum), read(&spread.max), spread.min()), (3, 19, 12, Some(0)));
    }
}
