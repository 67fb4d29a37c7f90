//! From ticks to nanoseconds.

use trace_format::{Clock, Pair};
use untrusted::figure;

/// Minimum distance of two moments from which a pace is calculated: reading both clocks is inexact by about ten
/// nanoseconds.
const MIN_DISTANCE_NS: u64 = 100_000_000;

/// Conversion of a file's ticks, based on moments at which both times are known.
#[derive(Clone, Debug)]
pub(crate) struct Ticks {
    /// The moments, in order, far from each other.
    moments: Vec<Pair>,
    is_ns: bool,
}

impl Ticks {
    /// The conversion for a clock, from moments in any order.
    pub(crate) fn new(clock: Clock, mut known: Vec<Pair>) -> Self {
        known.retain(|pair| pair.ns != 0);
        known.sort_unstable_by_key(|pair| (pair.ns, pair.tick));
        let mut moments: Vec<Pair> = Vec::new();
        for pair in &known {
            if moments.last().is_none_or(|last| pair.ns - last.ns >= MIN_DISTANCE_NS && pair.tick > last.tick) {
                moments.push(*pair);
            }
        }
        // A short run has only its last moment, and a long one extends up to it.
        if let (Some(last), Some(end)) = (moments.last().copied(), known.last())
            && end.tick > last.tick
        {
            if moments.len() > 1 {
                moments.pop();
            }
            moments.push(*end);
        }
        Self { moments, is_ns: clock == Clock::Monotonic }
    }

    /// A time by CLOCK_MONOTONIC, in nanoseconds.
    pub(crate) fn ns(&self, tick: u64) -> u64 {
        if self.is_ns {
            return figure::bounded(tick);
        }
        let behind = self.moments.partition_point(|pair| pair.tick <= tick);
        let first = behind.saturating_sub(1).min(self.moments.len().saturating_sub(2));
        let Some([from, to]) = self.moments.get(first..first + 2) else {
            let only = self.moments.first().copied().unwrap_or_default();
            return figure::bounded(only.ns.saturating_add_signed(signed(tick, only.tick)));
        };
        let ticks = i128::from(to.tick - from.tick);
        let since = i128::from(signed(tick, from.tick)) * i128::from(to.ns - from.ns) / ticks.max(1);
        figure::bounded(u64::try_from((i128::from(from.ns) + since).max(0)).unwrap_or(u64::MAX))
    }
}

/// Distance of two ticks.
fn signed(tick: u64, from: u64) -> i64 {
    tick.wrapping_sub(from).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(tick: u64, ns: u64) -> Pair {
        Pair { tick, ns }
    }

    #[test]
    fn ticks_are_converted_by_the_moments_around_them() {
        let second = 1_000_000_000;
        let moments =
            vec![pair(1000, second), pair(1000 + 2 * second, 2 * second), pair(1000 + 3 * second, 3 * second)];
        let ticks = Ticks::new(Clock::Counter, moments);
        assert_eq!(ticks.ns(1000), second);
        assert_eq!(ticks.ns(1000 + second), second + second / 2);
        assert_eq!(ticks.ns(1000 + 2 * second + second / 2), 2 * second + second / 2);
        assert_eq!(ticks.ns(0), second - 500);
        assert_eq!(ticks.ns(1000 + 4 * second), 4 * second);
    }

    #[test]
    fn moments_close_to_each_other_give_no_pace() {
        let ticks = Ticks::new(Clock::Counter, vec![pair(0, 1000), pair(10, 1900), pair(2_000_000, 1_001_000)]);
        assert_eq!(ticks.ns(1_000_000), 501_000);
        assert_eq!(Ticks::new(Clock::Monotonic, Vec::new()).ns(7), 7);
        assert_eq!(Ticks::new(Clock::Counter, vec![pair(5, 100)]).ns(8), 103);
        assert_eq!(Ticks::new(Clock::Counter, Vec::new()).ns(8), 8);
    }
}
