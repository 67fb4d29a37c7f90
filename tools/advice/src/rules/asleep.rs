//! Work that sleeps.

use terminal::quantity::percent;

use crate::facts::Facts;
use crate::finding::Finding;

/// Least part of the regions' work asleep that is a finding.
const ASLEEP: f64 = 0.2;

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let work_ns = facts.regions.iter().map(|region| region.work_ns as f64).sum::<f64>();
    if facts.asleep_ns <= ASLEEP * work_ns {
        return;
    }
    let what = format!("For {} % of the threads' work they were asleep", percent(facts.asleep_ns, work_ns));
    let fix =
        "the code reads, writes or sleeps there: let other threads work meanwhile, or do it outside of the regions";
    found.push(Finding::new("asleep", facts.asleep_ns, what, fix));
}
