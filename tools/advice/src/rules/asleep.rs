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
        None => {
            "the code reads, writes, sleeps, or waits for a mutex or another thread there: look for such calls in the regions \
             (`strace -f -w -c` shows which take long)"
        }
        Some(_) => {
            "the code reads, writes, sleeps, or waits for another thread there; samples do not show which: look for such calls in the \
             regions (`strace -f -w -c` shows which take long)"
        }
    };
    found.push(Finding::new("asleep", facts.asleep_ns, what, fix));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Region;

    #[test]
    fn no_reason_is_given_for_sleep_that_nobody_has_seen() {
        let regions = vec![Region { threads: 2, work_ns: 1_000_000_000, ..Region::default() }];
        let facts = Facts { all_ns: 2e9, wall_ns: 1e9, running_ns: 1e9, asleep_ns: 1e9, regions, ..Facts::default() };
        for period_ns in [None, Some(1e7)] {
            let text = crate::findings(&Facts { period_ns, ..facts.clone() })[0].text(1e9);
            assert!(text.contains("another thread there") && text.contains("strace -f"), "{text}");
            assert!(!text.contains("`ora profile`") && !text.contains("meanwhile"), "{text}");
        }
    }
}
