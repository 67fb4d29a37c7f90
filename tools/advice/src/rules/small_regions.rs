//! Regions that are shorter than it takes to begin and end them.

use terminal::quantity::{percent, time};

use crate::facts::{Facts, Region};
use crate::finding::Finding;

/// Regions whose threads do less, all together, are not worth their fork and join.
const SMALL_NS: f64 = 50_000.0;

/// Regions without work have nothing to share. True: the regions are small as a whole, and how even their shares are is chance.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) -> bool {
    let sum = |of: fn(&Region) -> u64| facts.shared().map(|region| of(region) as f64).sum::<f64>();
    let ended = sum(|region| region.ended);
    let ran_ns = sum(|region| region.shares_ns);
    if ended == 0.0 || ran_ns / ended >= SMALL_NS {
        return false;
    }
    // What the peers have no processor for is said by another rule.
    let waits_ns = sum(|region| region.barrier_ns.saturating_sub(region.no_processor_ns));
    let what = format!(
        "{} % of the threads' time is waits at barriers of regions whose threads run for {} each, all together",
        percent(waits_ns, facts.all_ns),
        time(ran_ns / ended)
    );
    let total_ns = sum(|region| region.total_ns);
    // One thread would need the time of all.
    let fix = if total_ns > ran_ns {
        "join them, or let one thread execute them (an if clause, or num_threads(1))"
    } else {
        "join them, or use fewer threads"
    };
    // What a fix saves is not known: much of a region's cost lies before its begin and behind its end.
    found.push(Finding::new("small_regions", waits_ns, what, fix));
    true
}
