//! Waits for exclusive access, and the time that the runtime has for itself.

use terminal::quantity::percent;

use crate::facts::{Facts, Wait};
use crate::finding::{Finding, HowKnown};
use crate::runtime_kind::RuntimeKind;

/// Threads that don't have to take turns don't wait: each one saves its own waits, which happen at the same time.
pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    let waits = &facts.waits;
    for (id, wait, what, fix) in [
        (
            "critical",
            &waits.critical,
            "critical sections",
            match facts.runtime_kind {
                RuntimeKind::Own => "make them shorter, or guard different data by different ones",
                _ => "make them shorter, or name those that guard different data",
            },
        ),
        ("lock", &waits.lock, "locks", "hold them for less time, or use more of them"),
        ("atomic", &waits.atomic, "atomic updates", "let each thread add up for itself, as in a reduction"),
        ("ordered", &waits.ordered, "ordered sections", "make them shorter, or the loop's chunks smaller"),
    ] {
        let fix = if id == "critical" { critical(facts).unwrap_or_else(|| fix.to_owned()) } else { fix.to_owned() };
        let finding = finding(facts, id, wait, &format!("waits for {what}"), &fix);
        found.push(finding.saves(wait.ns / facts.team() as f64, HowKnown::Estimated));
    }
    let fix = "lock less often, or use larger tasks, chunks and regions";
    found.push(finding(facts, "runtime", &waits.runtime, "spent inside of the runtime", fix));
    // If the workers lack processors, the primary thread's wait for them isn't work of the runtime.
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

/// The remedy if a critical section of the only region with work merely adds to a variable.
fn critical(facts: &Facts) -> Option<String> {
    let dearest = facts.regions.iter().max_by_key(|region| region.work_ns)?;
    let tally = dearest.directive.as_ref()?.tally.as_ref()?;
    Some(format!(
        "the one in {} adds to `{tally}`: make that reduction(+:{tally}) of the loop if nothing else in the loop uses `{tally}`, or \
         an atomic update",
        dearest.name()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::facts::Region;

    #[test]
    fn a_tally_in_a_critical_section_is_to_be_a_reduction() {
        let directive = Directive { is_loop: true, tally: Some("total".to_owned()), ..Directive::default() };
        let region = Region { threads: 2, work_ns: 9, directive: Some(directive), ..Region::default() };
        let critical = Wait { ns: 1e8, dearest: None };
        let facts =
            Facts { all_ns: 1e9, waits: crate::Waits { critical, ..crate::Waits::default() }, ..Facts::default() };
        let fix = |facts: &Facts| {
            let mut found = Vec::new();
            look(facts, &mut found);
            found.into_iter().find(|finding| finding.id == "critical").unwrap().fix
        };
        assert!(fix(&Facts { regions: vec![region], ..facts.clone() }).contains("reduction(+:total)"));
        assert!(fix(&facts).contains("make them shorter"));
    }
}
