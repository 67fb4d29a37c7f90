//! Waits for exclusive access, and the time that the runtime has for itself.

use terminal::quantity::percent;

use crate::facts::{Facts, Wait};
use crate::finding::{Finding, HowKnown};
use crate::runtime_kind::RuntimeKind;
use crate::tally::Tally;

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
        ("ordered", &waits.ordered, "ordered sections", "make the ordered part shorter, or do it after the loop"),
    ] {
        let special = match id {
            "critical" => critical(facts),
            "ordered" => ordered(facts).map(|more| format!("{fix}{more}")),
            _ => None,
        };
        let fix = special.unwrap_or_else(|| fix.to_owned());
        let finding = finding(facts, id, wait, &format!("waits for {what}"), &fix);
        found.push(finding.may_save(facts.without_turns(wait.ns), HowKnown::Estimated));
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

/// The remedy if the critical section with most of the waits merely adds to a variable. If its place is not known, one in the region with
/// most of the work counts.
fn critical(facts: &Facts) -> Option<String> {
    if facts.waits.critical.dearest.is_some() {
        let Tally { variable, is_in_loop } = facts.waits.critical_adds_to.as_ref()?;
        return Some(if *is_in_loop {
            format!("the one there only adds to `{variable}`: {}", reduction(variable))
        } else {
            format!(
                "the one there only adds to `{variable}`: make that an atomic update if no other critical section uses `{variable}`"
            )
        });
    }
    let dearest = facts.regions.iter().max_by_key(|region| region.work_ns)?;
    let tally = dearest.directive.as_ref()?.tally.as_ref()?;
    Some(format!("the one in {} adds to `{tally}`: {}", dearest.name(), reduction(tally)))
}

fn reduction(variable: &str) -> String {
    format!(
        "make that reduction(+:{variable}) of the loop if nothing else in the loop uses `{variable}`, also no function that it calls, or an \
         atomic update if no other critical section uses it"
    )
}

/// One more remedy if the ordered loop is the only region with work, and one thread has to do many iterations before the next. How long
/// these take isn't known: single ones in turn of 250 ns took 2.5 times as long, those of 5 us three quarters.
fn ordered(facts: &Facts) -> Option<String> {
    let dearest = facts.regions.iter().max_by_key(|region| region.work_ns)?;
    let directive = dearest.directive.as_ref().filter(|it| it.is_ordered && it.has_large_chunks())?;
    let has = match &directive.schedule {
        Some(schedule) => format!("has schedule({schedule})"),
        None => "has no schedule".to_owned(),
    };
    Some(format!(
        ", or give threads one iteration in turn, if each takes some microseconds: the loop in {} {has}, try schedule(static, 1)",
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
        let critical = Wait { ns: 1e8, dearest: None, count: None };
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

    #[test]
    fn a_critical_section_that_is_known_is_named_and_no_other_one() {
        let directive = Directive { is_loop: true, tally: Some("other".to_owned()), ..Directive::default() };
        let region = Region { threads: 2, work_ns: 9, directive: Some(directive), ..Region::default() };
        let critical = Wait { ns: 1e8, dearest: Some((0.9, "add at a.c:7".to_owned())), count: None };
        let text = |adds_to: Option<(&str, bool)>| {
            let tally = |(variable, is_in_loop): (&str, bool)| Tally { variable: variable.to_owned(), is_in_loop };
            let waits = crate::Waits {
                critical: critical.clone(),
                critical_adds_to: adds_to.map(tally),
                ..crate::Waits::default()
            };
            let facts = Facts { wall_ns: 1e9, all_ns: 2e9, waits, regions: vec![region.clone()], ..Facts::default() };
            crate::findings(&facts).iter().find(|it| it.id == "critical").unwrap().text(facts.wall_ns)
        };
        let said = text(Some(("total", true)));
        assert!(said.contains("90.00 % of that in add at a.c:7: the one there only adds to `total`"), "{said}");
        assert!(said.contains("reduction(+:total) of the loop"), "{said}");
        let said = text(Some(("total", false)));
        assert!(said.contains("make that an atomic update if no other") && !said.contains("reduction"), "{said}");
        let said = text(None);
        assert!(said.contains("add at a.c:7: make them shorter") && !said.contains("other`"), "{said}");
    }

    #[test]
    fn short_waits_that_are_frequent_are_no_chance() {
        let facts = |count| Facts {
            wall_ns: 1.5e8,
            all_ns: 3e8,
            regions: vec![Region { threads: 2, ..Region::default() }],
            waits: crate::Waits {
                critical: Wait { ns: 1.9e7, dearest: None, count: Some(count) },
                ..crate::Waits::default()
            },
            ..Facts::default()
        };
        assert_eq!(crate::findings(&facts(73_564)).len(), 1);
        assert_eq!(crate::findings(&facts(40)).len(), 0);
    }

    /// Two threads that wait for their turn in nearly all of a second.
    fn ordered_loop(schedule: Option<&str>) -> Facts {
        let schedule = schedule.map(str::to_owned);
        let directive = Directive { is_loop: true, is_ordered: true, schedule, ..Directive::default() };
        let region = Region { threads: 2, work_ns: 9, directive: Some(directive), ..Region::default() };
        let waits = crate::Waits { ordered: Wait { ns: 1.8e9, dearest: None, count: None }, ..crate::Waits::default() };
        Facts { wall_ns: 1e9, all_ns: 2e9, waits, regions: vec![region], ..Facts::default() }
    }

    fn text(facts: &Facts) -> String {
        crate::findings(facts).iter().find(|it| it.id == "ordered").unwrap().text(facts.wall_ns)
    }

    #[test]
    fn smaller_chunks_are_proposed_to_an_ordered_loop_only_if_it_has_larger_ones() {
        for small in [Some("static, 1"), Some("dynamic"), Some("runtime"), Some("guided")] {
            let said = text(&ordered_loop(small));
            assert!(said.contains("do it after the loop.") && !said.contains("schedule"), "{said}");
        }
        for large in [None, Some("static"), Some("static, 8"), Some("dynamic, 4")] {
            assert!(text(&ordered_loop(large)).contains("if each takes some microseconds: the loop"), "{large:?}");
        }
    }

    #[test]
    fn shorter_turns_save_no_more_than_the_other_threads_could_do_and_nothing_known_without_processors() {
        let said = text(&ordered_loop(None));
        assert!(said.ends_with("would save up to 500.000 ms, 50.00 % of the wall time."), "{said}");
        let busy = text(&Facts { ready_ns: 3e8, ..ordered_loop(None) });
        assert!(!busy.contains("would save"), "{busy}");
    }
}
