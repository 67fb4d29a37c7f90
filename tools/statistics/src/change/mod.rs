//! Change of a mean, with an interval that holds for few runs.
//!
//! The interval has each factor that Welch's t test doesn't reject: the mean after may be that factor of the mean before (Fieller 1954), with
//! Satterthwaite's degrees of freedom. So the interval excludes "no change" exactly if the test finds a change. Drawing two to five runs again
//! and again (the bootstrap) gives intervals that are much too short.

use crate::student::quantile;

/// Relative change of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// (after - before) / before.
    pub part: f64,
    /// 95 % interval; `None` if one side has a single run. The upper bound is infinite if noise may be all of the time before.
    pub interval: Option<(f64, f64)>,
}

impl Change {
    /// Returns the change between the runs of two sides; `None` if there is no mean to compare with.
    pub fn of(before: &[f64], after: &[f64]) -> Option<Self> {
        let (from, to) = (mean(before)?, mean(after)?);
        if from <= 0.0 {
            return None;
        }
        let sides = Estimate::of(before).zip(Estimate::of(after));
        Some(Self { part: (to - from) / from, interval: sides.map(|(before, after)| interval(before, after)) })
    }

    /// True if noise doesn't explain the change: the interval has the same sign throughout.
    pub fn is_sure(self) -> bool {
        self.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }

    /// True if the figure has become smaller, and noise doesn't explain that.
    pub fn is_surely_less(self) -> bool {
        self.is_sure() && self.part < 0.0
    }

    /// True if the figure has grown by more than this part; if there are several runs, only if noise doesn't explain that.
    pub fn is_above(self, part: f64) -> bool {
        self.interval.map_or(self.part, |(low, _)| low) > part
    }
}

/// Mean of the values; `None` if there are none.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Mean of several runs.
#[derive(Clone, Copy)]
struct Estimate {
    mean: f64,
    /// Square of the mean's standard error.
    variance: f64,
    /// Degrees of freedom of the variance.
    freedom: f64,
}

impl Estimate {
    /// `None` if there are fewer than two values.
    fn of(values: &[f64]) -> Option<Self> {
        let mean = mean(values).filter(|_| values.len() > 1)?;
        let count = values.len() as f64;
        let freedom = count - 1.0;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / freedom / count;
        Some(Self { mean, variance, freedom })
    }
}

/// Satterthwaite's degrees of freedom of the difference between the mean after and this factor of the mean before, but no more than for two
/// sides with the fewer runs: with 3 runs and 20, which happen to differ little, three would count as twenty.
fn freedom(before: Estimate, after: Estimate, factor: f64) -> f64 {
    let parts = [(after.variance, after.freedom), (before.variance * factor.powi(2), before.freedom)];
    let all: f64 = parts.iter().map(|(variance, _)| variance).sum();
    let squares: f64 = parts.iter().map(|(variance, freedom)| variance.powi(2) / freedom).sum();
    let fewer = before.freedom.min(after.freedom);
    if squares > 0.0 { (all.powi(2) / squares).min(2.0 * fewer) } else { fewer }
}

fn interval(before: Estimate, after: Estimate) -> (f64, f64) {
    // The degrees of freedom depend on the factor: the fewer of those for no change and for the measured one.
    let freedom = freedom(before, after, 1.0).min(freedom(before, after, after.mean / before.mean));
    let square = quantile(freedom).powi(2);
    let (of_before, of_after) = (before.variance * square, after.variance * square);
    // The factors are the solutions of before x^2 - 2 middle x + after <= 0.
    let rest = |mean: f64, variance: f64| (mean.powi(2) - variance).max(0.0);
    let (first, last) = (rest(before.mean, of_before), rest(after.mean, of_after));
    let middle = before.mean * after.mean;
    let root = after.mean.powi(2) * of_before + before.mean.powi(2) * of_after - of_before * of_after;
    let sum = middle + root.max(0.0).sqrt();
    let low = if last > 0.0 { last / sum } else { 0.0 };
    let high = if first > 0.0 { sum / first } else { f64::INFINITY };
    (low - 1.0, high - 1.0)
}

#[cfg(test)]
mod tests;
