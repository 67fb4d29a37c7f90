//! Cost of threads that sleep while they wait: each one has to be woken up.
//!
//! Measured on two otherwise idle processors (libgomp 12, `SCHED_FIFO`), as the difference between `OMP_WAIT_POLICY=passive` and the
//! default: 24,000 regions of two threads took 0.62 s instead of 0.022 s, which is 12.5 us per thread of a region; 600 longer regions
//! took 0.045 s instead of 0.020 s, which is 21 us.

use crate::facts::Facts;

/// Wall time needed to wake up a thread for its part of a region: the larger figure, rounded up.
const WAKE_UP_NS: f64 = 25e3;

/// The additional wall time of the program if its threads slept while they wait: they are woken up at the start and the end of each
/// region.
pub(super) fn wake_ups_ns(facts: &Facts) -> f64 {
    let wake_ups = |region: &crate::facts::Region| (region.ended * region.threads) as f64;
    facts.shared().map(wake_ups).sum::<f64>() * WAKE_UP_NS
}
