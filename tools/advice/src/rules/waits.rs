//! Waits for exclusive access, and the time that the runtime has for itself.

use terminal::quantity::percent;

use crate::facts::{Facts, Wait};
use crate::finding::{Finding, HowKnown};

/// Threads that need no turns wait for none: each saves its own waits, and they wait at the same time.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let waits = &facts.waits;
    for (id, wait, what, fix) in [
        (
            "critical",
            &waits.critical,
            "critical sections",
            "make them shorter, or name those that guard different data",
        ),
        ("lock", &waits.lock, "locks", "hold them for less time, or use more of them"),
        ("atomic", &waits.atomic, "atomic updates", "let each thread add up for itself, as in a reduction"),
        ("ordered", &waits.ordered, "ordered sections", "make them shorter, or the loop's chunks smaller"),
    ] {
        let finding = finding(facts, id, wait, &format!("waits for {what}"), fix);
        found.push(finding.saves(wait.ns / facts.team() as f64, HowKnown::Estimated));
    }
    let fix = "lock less often, or use larger tasks, chunks and regions";
    found.push(finding(facts, "runtime", &waits.runtime, "spent inside of the runtime", fix));
    // Without a processor for the workers, the primary thread's wait for them is none of the runtime's work.
    if !found.iter().any(|finding| finding.is_first) {
        let fix = "give it less to do: larger regions, larger chunks of loops";
        found.push(finding(facts, "overhead", &waits.overhead, "the runtime's own work", fix));
    }
}

fn finding(facts: &Facts, id: &'static str, wait: &Wait, what: &str, fix: &str) -> Finding {
    let share = percent(wait.ns, facts.all_ns);
    let dearest = wait.dearest.as_ref();
    let place = dearest.map(|(part, name)| format!(", {} % of that in {name}", percent(*part, 1.0)));
    let what = format!("{share} % of the threads' time is {what}{}", place.unwrap_or_default());
    Finding::new(id, wait.ns, what, fix)
}
