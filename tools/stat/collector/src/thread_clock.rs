//! A clock for one thread that reads it many times.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use stat_layout::clock::monotonic_ns;
use stat_layout::ticks::Source;

/// CLOCK_MONOTONIC for a thread that reads it many times: calculated from the processor's counter, starting at a moment at which
/// both were read. Both are read again every [`ANEW_NS`], so that an error of the pace doesn't accumulate. A time may be some
/// nanoseconds before the last one.
#[derive(Debug)]
pub(crate) struct ThreadClock {
    from: Reading,
    /// Number of ticks from then on for which the pace is used; 0: the clock itself is read each time.
    ticks: u64,
    /// Nanoseconds in 2^32 ticks.
    pace: u64,
}

/// One moment in both clocks.
#[derive(Clone, Copy, Debug)]
struct Reading {
    tick: u64,
    ns: u64,
}

/// Longest time by the counter alone.
const ANEW_NS: u64 = 400_000;
/// The pace is determined over at least this time.
const BASE_NS: u64 = 4_000_000;
/// Longest time, in ticks, that reading both clocks may take. A thread that loses its processor in between takes longer.
const TOGETHER: u64 = 2000;
/// Number of attempts.
const TRIES: u32 = 4;

/// The first moment of the process; 0 if the counter is not to be used.
static FIRST_TICK: AtomicU64 = AtomicU64::new(0);
static FIRST_NS: AtomicU64 = AtomicU64::new(0);

/// The process starts: from now on its threads may use the counter, if that is the source.
pub(crate) fn begin(source: Source) {
    if source == Source::Counter
        && let Some(first) = Reading::now()
    {
        FIRST_NS.store(first.ns, Relaxed);
        // Release: pairs with the load in `ThreadClock::read`; publishes `FIRST_NS`.
        FIRST_TICK.store(first.tick.max(1), Release);
    }
}

impl ThreadClock {
    /// A clock that has not been read yet.
    pub(crate) const fn new() -> Self {
        Self { from: Reading { tick: 0, ns: 0 }, ticks: 0, pace: 0 }
    }

    /// The current time.
    #[inline(always)]
    pub(crate) fn now_ns(&mut self) -> u64 {
        self.quick_ns().unwrap_or_else(|| self.read())
    }

    /// The current time, if the counter alone is enough to calculate it.
    #[inline(always)]
    pub(crate) fn quick_ns(&self) -> Option<u64> {
        if self.ticks == 0 {
            return None;
        }
        let ticks = Source::Counter.now().wrapping_sub(self.from.tick);
        (ticks < self.ticks).then(|| self.from.ns + ((ticks * self.pace) >> 32))
    }

    #[cold]
    #[inline(never)]
    fn read(&mut self) -> u64 {
        // Acquire: pairs with the store in `begin`; publishes `FIRST_NS`.
        let first = Reading { tick: FIRST_TICK.load(Acquire), ns: FIRST_NS.load(Relaxed) };
        self.ticks = 0;
        if first.tick == 0 {
            return monotonic_ns();
        }
        let Some(now) = Reading::now() else { return monotonic_ns() };
        let (ns, ticks) = (now.ns.saturating_sub(first.ns), now.tick.saturating_sub(first.tick));
        if ns >= BASE_NS {
            let pace = (u128::from(ns) << 32) / u128::from(ticks.max(1));
            // A counter of less than 50 MHz or more than 100 GHz can't be trusted.
            if let Some(pace) = u64::try_from(pace).ok().filter(|pace| (1 << 25..20 << 32).contains(pace)) {
                *self = Self { from: now, ticks: (ANEW_NS << 32) / pace, pace };
            }
        }
        now.ns
    }
}

impl Reading {
    /// Reads both clocks; `None` if that takes too long.
    fn now() -> Option<Self> {
        (0..TRIES).find_map(|_| {
            let before = Source::Counter.now();
            let ns = monotonic_ns();
            let took = Source::Counter.now().wrapping_sub(before);
            (took < TOGETHER).then_some(Self { tick: before.wrapping_add(took / 2), ns })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threads_clock_is_the_systems() {
        begin(Source::best());
        let mut clock = ThreadClock::new();
        let end_ns = monotonic_ns() + 30_000_000;
        loop {
            let before_ns = monotonic_ns();
            let ns = clock.now_ns();
            let after_ns = monotonic_ns();
            // In 0.4 ms a pace that is wrong by a hundredth would amount to 4 us.
            assert!((before_ns - 1000..=after_ns + 1000).contains(&ns), "{before_ns} {ns} {after_ns}");
            if before_ns > end_ns {
                break;
            }
        }
    }

    #[test]
    fn without_a_counter_the_clock_itself_is_read() {
        let mut clock = ThreadClock { from: Reading { tick: 0, ns: 7 }, ticks: 0, pace: 1 << 32 };
        let before_ns = monotonic_ns();
        assert!((before_ns..=monotonic_ns() + 1_000_000_000).contains(&clock.now_ns()));
    }
}
