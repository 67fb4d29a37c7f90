//! Intervals of differences, by the bootstrap: the runs are repeatedly drawn with replacement, and the difference of the means is computed
//! each time.

/// Number of times that runs are drawn.
const DRAWS: usize = 4000;
/// Part of the draws that is outside of the interval.
const OUTSIDE: f64 = 0.05;

/// Relative change of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// (after - before) / before.
    pub part: f64,
    /// 95 % interval; `None` if one side has a single run.
    pub interval: Option<(f64, f64)>,
}

impl Change {
    /// Returns the change between the runs of two sides; `None` if there is no mean to compare with.
    pub fn of(before: &[f64], after: &[f64]) -> Option<Self> {
        let part = relative(mean(before)?, mean(after)?)?;
        let several = before.len() > 1 && after.len() > 1;
        Some(Self { part, interval: if several { interval(before, after) } else { None } })
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

fn relative(before: f64, after: f64) -> Option<f64> {
    (before > 0.0).then(|| (after - before) / before)
}

fn interval(before: &[f64], after: &[f64]) -> Option<(f64, f64)> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut drawn: Vec<f64> = (0..DRAWS)
        .filter_map(|_| {
            let [before, after] = [before, after].map(|values| random.mean_of_draw(values));
            relative(before, after)
        })
        .collect();
    drawn.sort_unstable_by(f64::total_cmp);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a part of a length
    let at = |part: f64| drawn.get(((drawn.len() - 1) as f64 * part).round() as usize).copied();
    if drawn.is_empty() { None } else { at(OUTSIDE / 2.0).zip(at(1.0 - OUTSIDE / 2.0)) }
}

/// Generates the same numbers each time (xorshift), so that the same files have the same intervals.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Mean of as many values as there are, drawn with replacement.
    fn mean_of_draw(&mut self, values: &[f64]) -> f64 {
        let count = values.len().max(1);
        let one = |random: u64| usize::try_from(random % count as u64).ok().and_then(|at| values.get(at)).copied();
        let sum: f64 = (0..count).filter_map(|_| one(self.next() >> 11)).sum();
        sum / count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_beyond_the_noise_is_sure() {
        let change = Change::of(&[100.0, 101.0, 99.0, 100.0], &[120.0, 121.0, 119.0, 120.0]).unwrap();
        let (low, high) = change.interval.unwrap();
        assert!((change.part - 0.2).abs() < 1e-9 && low > 0.18 && high < 0.22 && low < 0.2 && high > 0.2, "{change:?}");
        assert!(change.is_sure() && change.is_above(0.1) && !change.is_above(0.2));
    }

    #[test]
    fn noise_is_no_change() {
        let change = Change::of(&[100.0, 130.0, 80.0, 110.0], &[125.0, 90.0, 111.0, 105.0]).unwrap();
        assert!(!change.is_sure() && !change.is_above(0.0), "{change:?}");
        assert_eq!(change, Change::of(&[100.0, 130.0, 80.0, 110.0], &[125.0, 90.0, 111.0, 105.0]).unwrap());
    }

    #[test]
    fn one_run_has_no_interval() {
        let change = Change::of(&[100.0], &[150.0]).unwrap();
        assert_eq!(change, Change { part: 0.5, interval: None });
        assert!(!change.is_sure() && change.is_above(0.4) && !change.is_above(0.5));
        assert_eq!((Change::of(&[], &[1.0]), Change::of(&[0.0], &[1.0])), (None, None));
    }
}
