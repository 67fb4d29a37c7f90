//! Ticks: the cheapest clock that is the same on all processors.
#![cfg_attr(not(test), expect(clippy::disallowed_methods, reason = "of the system, or of `ora` itself in `/proc`"))]

use std::fs;

use ora_client::StampClock;
use system::arch::{COUNTER_SOURCE, counter, counter_in_order, is_counter_steady};

use crate::clock::monotonic_ns;

/// Source of ticks.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// CLOCK_MONOTONIC: a tick is a nanosecond.
    Monotonic = 0,
    /// The processor's time-stamp counter.
    Counter = 1,
}

impl Source {
    /// The counter if the system reports that it never stops or changes its pace, and uses it for its own clock: only then
    /// are the counters of several processors the same.
    #[inline]
    pub fn best() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let system = read("/sys/devices/system/clocksource/clocksource0/current_clocksource");
        if system.trim() == COUNTER_SOURCE && is_counter_steady(&read("/proc/cpuinfo")) {
            Self::Counter
        } else {
            Self::Monotonic
        }
    }

    /// The source with this number.
    #[inline]
    pub fn from_raw(raw: u32) -> Self {
        if raw == Self::Counter as u32 { Self::Counter } else { Self::Monotonic }
    }

    /// The clock for the library's stamps that makes the same ticks.
    #[inline]
    pub fn stamps(self) -> StampClock {
        match self {
            Self::Monotonic => StampClock::Monotonic,
            Self::Counter => StampClock::Counter,
        }
    }

    /// The current time, as the library reads it for a stamp.
    #[inline]
    pub fn stamp(self) -> u64 {
        match self {
            Self::Monotonic => ns(),
            Self::Counter => counter_in_order(),
        }
    }

    /// The current time.
    #[inline]
    pub fn now(self) -> u64 {
        match self {
            Self::Monotonic => ns(),
            Self::Counter => counter(),
        }
    }
}

/// Out of line: if the counter is read, no call costs the caller its registers.
#[cold]
#[inline(never)]
fn ns() -> u64 {
    monotonic_ns()
}

/// Length of a tick, from two moments read in both clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    ns_per_tick: f64,
}

/// One moment in both clocks.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// By [`Source::now`].
    pub tick: u64,
    /// By CLOCK_MONOTONIC.
    pub ns: u64,
}

impl Moment {
    /// The current moment.
    #[inline]
    pub fn now(source: Source) -> Self {
        Self { tick: source.now(), ns: monotonic_ns() }
    }
}

impl Pace {
    /// Calculates the pace from two moments.
    #[inline]
    pub fn between(from: Moment, to: Moment) -> Self {
        let ticks = to.tick.saturating_sub(from.tick);
        let ns = to.ns.saturating_sub(from.ns);
        Self { ns_per_tick: if ticks == 0 { 1.0 } else { ns as f64 / ticks as f64 } }
    }

    /// Converts ticks to nanoseconds.
    #[inline]
    pub fn ns(self, ticks: f64) -> f64 {
        ticks * self.ns_per_tick
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_nanoseconds_at_the_pace_between_two_moments() {
        let pace = Pace::between(Moment { tick: 1000, ns: 10 }, Moment { tick: 4000, ns: 1010 });
        assert_eq!(pace.ns(300.0), 100.0);
        assert_eq!(Pace::between(Moment { tick: 5, ns: 5 }, Moment { tick: 5, ns: 9 }).ns(7.0), 7.0);
    }
}
