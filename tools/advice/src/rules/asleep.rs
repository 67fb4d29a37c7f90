//! Work during which threads sleep.

use terminal::quantity::percent;

use super::mutex;
use crate::facts::Facts;
use crate::finding::Finding;

/// Minimum fraction of the regions' work spent asleep that is a finding.
const ASLEEP: f64 = 0.2;

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let work_ns = facts.regions.iter().map(|region| region.work_ns as f64).sum::<f64>();
    // Without the time for which threads were ready: they would not have slept then.
    let whole_ns = facts.asleep_ns + work_ns.min(facts.running_ns);
    // Where the sleep is known to be a wait for something, another rule says so.
    if facts.asleep_ns - facts.pool.ns <= ASLEEP * whole_ns || mutex::explains_sleep(facts) {
        return;
    }
    let what = format!("For {} % of the threads' work they were asleep", percent(facts.asleep_ns, whole_ns));
    let fix = match facts.period_ns {
        // Only stacks show which of these it is.
        None => {
            "the code reads, writes, sleeps, or waits for a mutex of the C library there: `ora profile` says which, and where"
        }
        Some(_) => {
            "the code reads, writes or sleeps there: let other threads work meanwhile, or do it outside of the regions"
        }
    };
    found.push(Finding::new("asleep", facts.asleep_ns, what, fix));
}
