//! Waits for exclusive access.

use crate::quantity::percent;

use crate::facts::Facts;
use crate::finding::{Finding, HowKnown};

/// Threads that need no turns wait for none: each saves its own waits, and they wait at the same time.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let waits = facts.waits;
    for (id, ns, what, fix) in [
        (
            "critical",
            waits.critical_ns,
            "critical sections",
            "make them shorter, or name those that guard different data",
        ),
        ("lock", waits.lock_ns, "locks", "hold them for less time, or use more of them"),
        ("atomic", waits.atomic_ns, "atomic updates", "let each thread add up for itself, as in a reduction"),
        ("ordered", waits.ordered_ns, "ordered sections", "make them shorter, or the loop's chunks smaller"),
    ] {
        let what = format!("{} % of the threads' time is waits for {what}", percent(ns, facts.all_ns));
        found.push(Finding::new(id, ns, what, fix).saves(ns / facts.team() as f64, HowKnown::Estimated));
    }
}
