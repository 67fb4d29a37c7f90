//! Time that the collector's own work takes, measured now and then.

use stat_layout::tasks::median::Median;

/// The time that one of our callbacks, or a part of it, takes, in ticks. Reading the clock is a large part of
/// that, so it is read a second time only now and then. All zero is a cost that was never measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    calls: u32,
    /// Number of following calls that are not measured.
    pause: u32,
    /// Difference by which the pause is shorter than that of others: two callbacks that follow one another are to be
    /// measured at different times.
    sooner: u32,
    /// A running median; of the first times the smallest.
    took: u64,
}

impl Cost {
    /// The time of a callback that began at `at`. `now` is called if it is to be measured.
    #[inline(always)]
    pub(super) fn since(&mut self, at: u64, now: impl FnOnce() -> u64) -> u64 {
        if self.is_next() { self.measured(now().saturating_sub(at)) } else { self.unmeasured() }
    }

    /// True if the next call is to be measured.
    #[inline(always)]
    pub(super) fn is_next(&self) -> bool {
        self.pause == 0
    }

    /// True if the last call was measured.
    #[inline(always)]
    pub(super) fn was_measured(&self) -> bool {
        self.is_new() || self.pause == self.whole_pause() - self.sooner
    }

    /// Number of calls that are not measured after one that was.
    #[inline(always)]
    fn whole_pause(&self) -> u32 {
        if self.calls < OFTEN { PAUSE } else { LATER_PAUSE }
    }

    /// The time of a call that is not measured.
    #[inline(always)]
    pub(super) fn unmeasured(&mut self) -> u64 {
        self.pause -= 1;
        self.took
    }

    /// Records a measured time, and returns it.
    #[cold]
    #[inline(never)]
    pub(super) fn measured(&mut self, took: u64) -> u64 {
        self.calls = self.calls.saturating_add(1);
        if self.calls >= LEARNING {
            self.pause = self.whole_pause() - self.sooner;
        }
        // The first calls are slow, and a later one may be: a page fault, another thread. That says nothing about the
        // others.
        if self.calls > LEARNING {
            self.took = Median::after(self.took, took, false);
        } else if self.took == 0 || took < self.took {
            self.took = took;
        }
        took
    }

    /// The time that a call typically takes.
    pub(super) fn typical(&self) -> u64 {
        self.took
    }

    /// Shortens the pauses by a call.
    pub(super) fn measure_sooner(&mut self) {
        self.sooner = 1;
    }

    /// True now and then, when a request should be timed.
    #[inline(always)]
    pub(super) fn is_time_for_a_request(&self) -> bool {
        (self.pause == self.whole_pause() || self.is_new()) && self.calls.is_multiple_of(REQUESTS)
    }

    /// True while every call is measured.
    #[inline(always)]
    pub(super) fn is_new(&self) -> bool {
        self.calls < LEARNING
    }
}

/// After that, this number of calls is not measured after each measured one,
const PAUSE: u32 = 15;
/// and after this number of measured calls
const OFTEN: u32 = 1024;
/// this number.
const LATER_PAUSE: u32 = 63;
/// A request is timed at one of this number of measured calls.
const REQUESTS: u32 = 4;

/// Number of first calls that are all measured.
const LEARNING: u32 = 64;
