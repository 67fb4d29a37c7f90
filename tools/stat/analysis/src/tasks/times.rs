//! Count, sum, extremes and distribution of the times of one part of tasks' lives.

use std::sync::atomic::Ordering::Relaxed;

use stat_layout::tasks::layout::Spread;
use stat_layout::ticks::Pace;
use untrusted::figure;

use super::histogram::Histogram;

/// The times of one part of several tasks' lives.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Times {
    pub(super) count: u64,
    pub(super) total_ns: f64,
    pub(super) min_ns: f64,
    pub(super) max_ns: f64,
    pub(super) steps: Histogram,
}

impl Times {
    /// Reads the times that one thread left, in ticks.
    pub(super) fn read(spread: &Spread, pace: Pace) -> Self {
        Self {
            count: figure::read(&spread.count),
            total_ns: pace.ns(spread.sum.load(Relaxed) as f64),
            min_ns: pace.ns(spread.min().unwrap_or(0) as f64),
            max_ns: pace.ns(spread.max.load(Relaxed) as f64),
            steps: Histogram::read(&spread.steps, pace),
        }
    }

    /// Adds the times of another thread.
    pub(super) fn add(&mut self, other: &Self) {
        if self.count == 0 {
            self.clone_from(other);
        } else if other.count > 0 {
            self.count = figure::sum(self.count, other.count);
            self.total_ns += other.total_ns;
            self.min_ns = self.min_ns.min(other.min_ns);
            self.max_ns = self.max_ns.max(other.max_ns);
            self.steps.add(&other.steps);
        }
    }

    /// The bound that this part of the times stay below. `None` without any times.
    pub(super) fn quantile_ns(&self, part: f64) -> Option<f64> {
        Some(self.steps.quantile(part)?.clamp(self.min_ns, self.max_ns.max(self.min_ns)))
    }

    /// Mean of the times; 0 without any.
    pub(super) fn mean_ns(&self) -> f64 {
        self.total_ns / self.count.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_two_threads_make_one() {
        let some =
            |count, total_ns, min_ns, max_ns| Times { count, total_ns, min_ns, max_ns, steps: Histogram::default() };
        let sum = |one: &Times, other: &Times| {
            let mut sum = one.clone();
            sum.add(other);
            sum
        };
        let one = some(2, 10.0, 4.0, 6.0);
        assert_eq!(sum(&one, &some(1, 1.0, 1.0, 1.0)), some(3, 11.0, 1.0, 6.0));
        assert_eq!(sum(&one, &Times::default()), one);
        assert_eq!(sum(&Times::default(), &one), one);
        assert_eq!(Times::default().mean_ns(), 0.0);
        assert_eq!(Times::default().quantile_ns(0.5), None);
    }
}
