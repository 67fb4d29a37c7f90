//! Cost of threads that sleep while they wait: each one has to be woken up.
//!
//! Measured on two otherwise idle processors (libgomp 12, `SCHED_FIFO`), as the difference between `OMP_WAIT_POLICY=passive` and the
//! default: 24,000 regions of two threads took 0.62 s instead of 0.022 s, which is 12.5 us per thread of a region; 600 longer regions
//! took 0.045 s instead of 0.020 s, which is 21 us.

use crate::facts::{Facts, Region, SharedBy};

/// Wall time needed to wake up a thread for its part of a region: the larger figure, rounded up.
const WAKE_UP_NS: f64 = 25e3;

/// The most wall time that the program would take in addition if its threads slept while they wait: they are woken up at the start and the
/// end of each region, at each other barrier, after waits for tasks, and for tasks. Infinite if it is not known how often.
pub(super) fn wake_ups_ns(facts: &Facts) -> f64 {
    let sum = |of: fn(&Region) -> u64| facts.shared().map(|region| of(region) as f64).sum::<f64>();
    let at_ends = sum(|region| region.ended.saturating_mul(region.threads));
    let has_others = |region: &Region| matches!(region.shared_by, Some(SharedBy::Phases | SharedBy::Tasks));
    let barriers = match facts.waits.barriers.count {
        Some(count) => at_ends.max(count as f64),
        None if facts.shared().any(has_others) => f64::INFINITY,
        None => at_ends,
    };
    let of_tasks = facts.waits.tasks.count.unwrap_or_default() as f64 + sum(|region| region.tasks);
    (barriers + of_tasks) * WAKE_UP_NS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Wait, Waits};

    #[test]
    fn threads_are_woken_up_at_barriers_in_regions_and_for_tasks_too() {
        let region = Region { threads: 2, ended: 10, ..Region::default() };
        let facts = Facts { regions: vec![region], ..Facts::default() };
        assert_eq!(wake_ups_ns(&facts), 20.0 * WAKE_UP_NS);
        let count = |count| Wait { count: Some(count), ..Wait::default() };
        let waits = Waits { barriers: count(100), tasks: count(7), ..Waits::default() };
        let mut inside = Facts { waits, ..facts };
        inside.regions[0].tasks = 30;
        assert_eq!(wake_ups_ns(&inside), 137.0 * WAKE_UP_NS);
        inside.waits.barriers.count = None;
        inside.regions[0].shared_by = Some(SharedBy::Phases);
        assert_eq!(wake_ups_ns(&inside), f64::INFINITY);
    }
}
