//! Cost of threads that sleep while they wait: each has to be woken up.
//!
//! Measured on two processors with nothing beside (libgomp 12, `SCHED_FIFO`), as the difference of `OMP_WAIT_POLICY=passive` to the
//! default: 24,000 regions of two threads 0.62 s in place of 0.022 s, which is 12.5 us for each thread of a region; 600 longer regions
//! 0.045 s in place of 0.020 s, which is 21 us.

use crate::facts::Facts;

/// Wall time that it takes to wake up a thread for its part of a region: the larger figure, rounded up.
const WAKE_UP_NS: f64 = 25e3;

/// The wall time that the program would take longer if its threads slept while they wait: they are woken up at each region's beginning
/// and end.
pub(super) fn wake_ups_ns(facts: &Facts) -> f64 {
    let wake_ups = |region: &crate::facts::Region| (region.ended * region.threads) as f64;
    facts.shared().map(wake_ups).sum::<f64>() * WAKE_UP_NS
}
