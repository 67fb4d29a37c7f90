//! A histogram of times, as the collector left it.

use stat_layout::tasks::layout;
use stat_layout::ticks::Pace;
use untrusted::figure::{Total, sum};

/// Below this number of times, none is left out of the mean.
const MIN_TIMES: u64 = 8;

/// Number of times up to each bound and above the previous one. Empty without any times.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Histogram(Vec<(f64, u64)>);

impl Histogram {
    pub(super) fn read<const STEPS: usize>(histogram: &layout::Histogram<STEPS>, pace: Pace) -> Self {
        Self(histogram.steps().map(|(bound, count)| (pace.ns(bound as f64), count)).collect())
    }

    /// Builds the histogram from bounds and the number of times below each.
    #[cfg(test)]
    pub(super) fn of(steps: &[(f64, u64)]) -> Self {
        Self(steps.to_vec())
    }

    /// Adds the histogram of another thread, with the same steps.
    pub(super) fn add(&mut self, other: &Self) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
        } else {
            self.0.iter_mut().zip(&other.0).for_each(|((_, mine), (_, more))| *mine = sum(*mine, *more));
        }
    }

    /// Number of times below a bound, evenly spread within a step.
    pub(super) fn below(&self, bound: f64) -> f64 {
        let within = |(start, end, count): (f64, f64, f64)| count * ((bound - start) / (end - start)).clamp(0.0, 1.0);
        self.ranges().map(within).sum()
    }

    /// The bound that this part of all times stay below. `None` without any times.
    pub(super) fn quantile(&self, part: f64) -> Option<f64> {
        let mut wanted = self.count() as f64 * part;
        for (start, end, count) in self.ranges().filter(|(.., count)| *count > 0.0) {
            if wanted <= count {
                return Some(start + (end - start) * wanted / count);
            }
            wanted -= count;
        }
        None
    }

    /// Number of times in the histogram.
    fn count(&self) -> u64 {
        self.0.iter().map(|(_, count)| *count).total()
    }

    /// Mean without the longest thousandth, at least one: a thread that lost its processor says nothing about its task. From
    /// very few times none is left out. `None` without any times.
    pub(super) fn steady_mean(&self) -> Option<f64> {
        let count = self.count();
        let left_out = if count < MIN_TIMES { 0 } else { (count / 1000).max(1) };
        let kept = (count - left_out) as f64;
        let mut rest = kept;
        let sum: f64 = self
            .ranges()
            .map(|(start, end, count)| {
                let part = count.min(rest);
                rest -= part;
                part * f64::midpoint(start, end)
            })
            .sum();
        (count > 0).then(|| sum / kept)
    }

    fn ranges(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        let starts = std::iter::once(0.0).chain(self.0.iter().map(|(end, _)| *end));
        starts
            .zip(&self.0)
            .filter(|(start, (end, _))| start < end)
            .map(|(start, (end, count))| (start, *end, *count as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps() -> Histogram {
        Histogram(vec![(10.0, 4), (20.0, 10), (40.0, 6)])
    }

    #[test]
    fn a_step_counts_in_part() {
        assert_eq!([0.0, 10.0, 15.0, 100.0].map(|bound| steps().below(bound)), [0.0, 4.0, 9.0, 20.0]);
        assert_eq!(Histogram::default().below(1.0), 0.0);
    }

    #[test]
    fn quantiles_lie_where_so_many_are_below() {
        assert_eq!([0.1, 0.5, 1.0].map(|part| steps().quantile(part)), [Some(5.0), Some(16.0), Some(40.0)]);
        assert_eq!(Histogram::default().quantile(0.5), None);
        assert_eq!(Histogram(vec![(1.0, 0), (2.0, 0)]).quantile(0.5), None);
    }

    #[test]
    fn one_long_time_changes_no_quantile_and_no_steady_mean() {
        let with = |long| Histogram(vec![(10.0, 0), (20.0, 99), (1e6, 0), (2e6, long)]);
        assert_eq!(with(0).steady_mean(), Some(15.0));
        assert_eq!(with(1).steady_mean(), Some(15.0));
        assert!(with(20).steady_mean().unwrap() > 1e5);
        let [bare, with_one] = [0, 1].map(|long| with(long).quantile(0.5).unwrap());
        assert!((bare - with_one).abs() < 0.1);
        assert_eq!(Histogram(vec![(10.0, 0), (20.0, 2), (30.0, 1)]).steady_mean(), Some((15.0 * 2.0 + 25.0) / 3.0));
        assert_eq!(Histogram::default().steady_mean(), None);
    }

    #[test]
    fn threads_add_up_step_by_step() {
        let mut sum = Histogram::default();
        sum.add(&steps());
        sum.add(&steps());
        assert_eq!(sum, Histogram(vec![(10.0, 8), (20.0, 20), (40.0, 12)]));
    }
}
