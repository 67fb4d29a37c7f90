//! Confidence intervals by the bootstrap (Efron 1979): rounds are resampled with replacement.

use crate::samples::middle;

/// Number of resamples.
const DRAWS: usize = 2000;

/// Value, and the interval that contains 95 % of the resampled values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) middle: f64,
    pub(super) high: f64,
}

/// Confidence interval of the median. It is reproducible: the resamples are the same each time.
pub(super) fn median(values: &[f64]) -> Option<Interval> {
    let median = middle(values.to_vec())?;
    let mut state = 7_u64;
    let mut medians: Vec<f64> = (0..DRAWS)
        .filter_map(|_| {
            middle(values.iter().filter_map(|_| values.get(draw(&mut state, values.len()))).copied().collect())
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    let at = |part: usize| medians.get(DRAWS * part / 1000).copied();
    Some(Interval { low: at(25)?, middle: median, high: at(975)? })
}

/// A pseudo-random number below `end` (splitmix64).
#[expect(clippy::cast_possible_truncation, reason = "below a length")]
fn draw(state: &mut u64, end: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ z >> 31) % end.max(1) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_around_the_median_and_narrows_with_more_values() {
        let of = |count: u32| {
            median(&(0..count).map(|n| f64::from(n * 37 % count) / f64::from(count)).collect::<Vec<_>>()).unwrap()
        };
        let (few, many) = (of(9), of(999));
        for found in [few, many] {
            assert!(found.low <= found.middle && found.middle <= found.high, "{found:?}");
            assert!((found.middle - 0.5).abs() < 0.1, "{found:?}");
        }
        // The median of n uniform values has a standard deviation of 1 / (2 sqrt n).
        assert!((many.high - many.low - 3.92 / (2.0 * 999_f64.sqrt())).abs() < 0.02, "{many:?}");
        assert!(few.high - few.low > 4.0 * (many.high - many.low));
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(Interval { low: 3.0, middle: 3.0, high: 3.0 }));
    }
}
