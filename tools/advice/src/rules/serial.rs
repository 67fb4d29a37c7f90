//! Code outside of parallel regions.

use terminal::quantity::{percent, time};

use crate::facts::Facts;
use crate::finding::{Finding, HowKnown};

/// During serial code the other threads are idle, but not more of them than exist.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let others = (facts.team() - 1) as f64;
    let costs_ns = facts.idle_ns.min(facts.serial_ns * others);
    let place = facts.serial_in.as_ref().map(|function| format!(", most of them in or below {function}"));
    let what = format!(
        "{} % of the threads' time is idle time while {} are spent in code outside of parallel regions{}",
        percent(costs_ns, facts.all_ns),
        time(facts.serial_ns),
        place.unwrap_or_default()
    );
    let fix = match facts.period_ns {
        None => "make that parallel as well (`ora profile` shows it)",
        Some(_) => "make that parallel as well",
    };
    // If all threads share the work, it takes a fraction of its time. Before the first region there are no workers
    // that could be idle.
    let saves_ns = facts.serial_ns * others / (others + 1.0);
    found.push(Finding::new("serial", costs_ns, what, fix).saves(saves_ns, HowKnown::Estimated));
}
