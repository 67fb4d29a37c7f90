//! Uneven shares of a region's work.

use terminal::quantity::percent;

use super::tasks::small_task_ns;
use crate::facts::{Facts, Region, SharedBy};
use crate::finding::{Finding, HowKnown};

/// Work is even below this.
const EVEN: f64 = 0.1;
/// Shares are uneven by turns, if barriers cost at least this part of what uneven shares do.
const BY_TURNS: f64 = 0.5;
/// One thread does all of the work, if that of the others is a smaller part of its own.
const ALONE: f64 = 0.05;
/// A thread that creates all tasks has its team wait for them, if it does so for this part of the region.
const CREATES_ALL_THE_TIME: f64 = 0.75;

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let is_uneven = |region: &&Region| region.imbalance().is_some_and(|share| share >= EVEN);
    // Which thread executes more of so many small pieces is chance.
    let how_known = if facts.period_ns.is_none() { HowKnown::Measured } else { HowKnown::Estimated };
    let is_chance = |region: &Region| small_task_ns(region).is_some() || region.has_small_pieces();
    for region in facts.shared().filter(is_uneven).filter(|region| !is_chance(region)) {
        let costs_ns = region.imbalance_ns as f64;
        if let Some(barriers) = barriers(facts, region) {
            found.push(barriers);
            continue;
        }
        let (id, fix) = remedy(region);
        let what =
            format!("{} % of the threads' time is imbalance in {}", percent(costs_ns, facts.all_ns), region.name());
        let finding = Finding::new(id, costs_ns, what, fix).at(region.place.as_ref());
        found.push(finding.saves(region.gain_ns as f64, how_known));
    }
}

/// Shares that are uneven by turns: over the whole region they are more even than from one barrier to the next.
fn barriers(facts: &Facts, region: &Region) -> Option<Finding> {
    if region.tasks > 0 || (region.phases_ns as f64) < BY_TURNS * region.gain_ns as f64 {
        return None;
    }
    let what = format!(
        "{} % of the threads' time is waits for each other at barriers inside of {}, though in all the threads have more even shares",
        percent(region.imbalance_ns as f64, facts.all_ns),
        region.name()
    );
    let fix = "leave out barriers behind which no thread needs what others did before (nowait)";
    let finding = Finding::new("barriers", region.imbalance_ns as f64, what, fix).at(region.place.as_ref());
    Some(finding.saves(region.phases_ns as f64, HowKnown::Measured))
}

fn remedy(region: &Region) -> (&'static str, String) {
    let Region { tasks, ended, threads, max_ns, shares_ns, .. } = *region;
    if tasks > 0 && tasks < ended.max(1).saturating_mul(threads) {
        let fix = format!("it has {tasks} tasks in {ended} regions of {threads} threads: split its work into more");
        return ("few_tasks", fix);
    }
    if tasks > 0
        && region.creators == Some(1)
        && region.creating_ns as f64 >= CREATES_ALL_THE_TIME * region.total_ns as f64
    {
        let fix = format!(
            "one thread creates its {tasks} tasks, and needs {} % of its time for that: let several create them (taskloop, or a loop \
             of the team around their creation)",
            percent(region.creating_ns as f64, region.total_ns as f64)
        );
        return ("one_creator", fix);
    }
    if tasks > 0 {
        let fix = format!(
            "of its {tasks} tasks make the longest ones smaller, and create them first (`ora tasks` shows them), or share its \
             other work more evenly"
        );
        return ("imbalance", fix);
    }
    match region.shared_by {
        Some(SharedBy::Tasks) => {
            let fix =
                "its work is tasks: make the longest ones smaller, and create them earlier (`ora tasks` shows them)";
            return ("imbalance", fix.to_owned());
        }
        Some(SharedBy::Sections) => return ("imbalance", "its work is sections: split the longest one".to_owned()),
        _ => {}
    }
    if let Some(busy) = region.busy.filter(|busy| *busy > 1 && *busy < threads) {
        let fix = format!(
            "{busy} of its {threads} threads do nearly all of its work: share that among all (a loop, or tasks)"
        );
        return ("imbalance", fix);
    }
    if (shares_ns.saturating_sub(max_ns) as f64) < ALONE * max_ns as f64 {
        let fix = format!(
            "one of its {threads} threads does nearly all of its work: share that among all (a loop, or tasks)"
        );
        return ("one_thread", fix);
    }
    let fix = match region.shared_by {
        None => "share its work more evenly (`ora profile` says how)",
        Some(SharedBy::Phases) => "share the work before its barriers more evenly",
        Some(_) => "try schedule(dynamic), or parts of more even size",
    };
    ("imbalance", fix.to_owned())
}
