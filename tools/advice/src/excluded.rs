//! Causes that were excluded, for a program without findings about its own code.

use terminal::quantity::percent;

use crate::facts::{Facts, Region};
use crate::finding::Finding;
use crate::rules::{has_mixed_pieces, unjudged};
use crate::runtime_kind::RuntimeKind;

/// Programs whose regions do less work, as a fraction of all threads' time, are not judged.
const WORK: f64 = 0.2;
/// Imbalance is excluded only if it was judged for all but this fraction of the work.
const UNJUDGED: f64 = 0.1;
/// If other waits at barriers and for tasks take a larger fraction of all threads' time, their cause is unknown.
const UNEXPLAINED: f64 = 0.1;
/// If serial code takes a larger fraction of all threads' time, asleep or not, it may be the cause.
const SERIAL: f64 = 0.05;

/// A sentence about the causes that the figures exclude, and the command that shows the rest. `None` if a finding names a cause inside the
/// program, if teams do little work, or if much of the time is serial.
pub fn excluded(facts: &Facts, found: &[Finding]) -> Option<String> {
    let sum = |of: fn(&Region) -> u64| facts.shared().map(|region| of(region) as f64).sum::<f64>();
    let work_ns = sum(|region| region.work_ns);
    let is_about_the_program = |finding: &Finding| !finding.is_first || finding.id == "small_regions";
    if found.iter().any(is_about_the_program) || work_ns < WORK * facts.all_ns || work_ns == 0.0 {
        return None;
    }
    if facts.too_deep_ns > UNEXPLAINED * facts.all_ns {
        return None;
    }
    let serial_ns = facts.serial_wall_ns.unwrap_or(0.0).max(facts.serial_ns);
    if serial_ns > SERIAL * facts.all_ns {
        return None;
    }
    let asleep =
        if facts.serial_asleep_ns.is_some_and(|ns| ns * 2.0 > serial_ns) { " (most of it asleep)" } else { "" };
    let waits = [&facts.waits.critical, &facts.waits.lock, &facts.waits.atomic, &facts.waits.ordered];
    let waits_ns = waits.iter().map(|wait| wait.ns).sum::<f64>();
    let share = |ns| percent(ns, facts.all_ns);
    let unexplained_ns = unexplained_ns(facts);
    if unexplained_ns > UNEXPLAINED * facts.all_ns {
        let of_tasks =
            if sum(|region| region.tasks) > 0.0 { "`ora tasks` and `ora trace` show" } else { "`ora trace` shows" };
        return Some(format!(
            "{} % of the threads' time is waiting at barriers and for tasks, and these figures do not say for what: possible are too few \
             tasks at a time, tasks in a chain, or little work from one barrier to the next.{} {of_tasks} who waits for whom",
            share(unexplained_ns),
            imbalance(facts, work_ns).1
        ));
    }
    // Samples don't count chunks, and only libgomp's are seen one by one.
    let (small, more) = if facts.period_ns.is_none() {
        let small = match facts.runtime_kind {
            _ if facts.shared().any(has_mixed_pieces) => {
                "regions are not too small (how small tasks and chunks of loops are was not seen, as regions have both, or several loops: \
                 `ora profile` shows the runtime's own time)"
            }
            RuntimeKind::Gnu => "chunks, tasks and regions are not too small",
            _ => {
                "tasks and regions are not too small (chunks of loops were not seen, nor waits in those with `ordered(n)`: `ora profile` \
                 shows the runtime's own time)"
            }
        };
        (
            small.to_owned(),
            "`ora scale` shows whether the work itself takes longer with more threads: a loop that each thread executes as a whole, \
             atomic updates, false sharing, the memory's bandwidth, or locks of the C library and its allocator; `ora profile` shows \
             in which lines",
        )
    } else {
        (
            format!("the runtime's own work is {} %", share(facts.waits.runtime.ns + facts.waits.overhead.ns)),
            "`ora scale` shows whether the work itself takes longer with more threads: a loop that each thread executes as a whole, \
             atomic updates, false sharing, or the memory's bandwidth",
        )
    };
    let (imbalance, unjudged) = imbalance(facts, work_ns);
    Some(format!(
        "no cause was found inside of the program: of the threads' time {imbalance}waits for critical sections, locks, atomic \
         and ordered updates are {} %, serial code is {} %{asleep}, time without a processor is {} %, and {small}.{unjudged} {more}",
        share(waits_ns),
        share(serial_ns),
        share(facts.ready_ns)
    ))
}

/// Time of waits at barriers and for tasks without what is known to be due to uneven shares or to missing processors.
fn unexplained_ns(facts: &Facts) -> f64 {
    let explained = |region: &Region| region.imbalance_ns.saturating_add(region.no_processor_ns);
    let of = |region: &Region| region.barrier_ns.saturating_sub(explained(region)) as f64;
    facts.shared().map(of).sum::<f64>() + facts.waits.tasks.ns
}

/// The part of the sentence about imbalance, and a sentence if that was not judged.
fn imbalance(facts: &Facts, work_ns: f64) -> (String, String) {
    let unjudged = facts.shared().filter_map(|region| Some((region.work_ns, unjudged(facts, region)?)));
    let unjudged: Vec<_> = unjudged.collect();
    let unjudged_ns = unjudged.iter().map(|(ns, _)| *ns as f64).sum::<f64>();
    match unjudged.iter().max_by_key(|(ns, _)| *ns) {
        Some((_, why)) if unjudged_ns > UNJUDGED * work_ns => {
            (String::new(), format!(" Imbalance was not judged: {why}."))
        }
        _ => {
            let uneven_ns = facts.shared().map(|region| region.imbalance_ns as f64).sum::<f64>();
            (format!("imbalance is {} %, ", percent(uneven_ns, facts.all_ns)), String::new())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_says_what_was_excluded_and_names_the_next_command() {
        let region = Region { threads: 2, ended: 1, work_ns: 900_000_000, ..Region::default() };
        let facts = Facts { wall_ns: 5e8, all_ns: 1e9, regions: vec![region], ..Facts::default() };
        let text = excluded(&facts, &[]).unwrap();
        assert!(text.contains("imbalance is 0.00 %") && text.contains("`ora scale`"), "{text}");
        let sampled = Facts { period_ns: Some(1e7), ..facts.clone() };
        let unknown = Region { shares_unknown: true, work_ns: 900_000_000_000, ..facts.regions[0].clone() };
        let few = Facts { all_ns: 1e12, wall_ns: 5e11, regions: vec![unknown.clone()], ..sampled.clone() };
        for facts in [&sampled, &few] {
            let text = excluded(facts, &[]).unwrap();
            assert!(
                text.contains(" Imbalance was not judged: too few samples") && !text.contains("imbalance is"),
                "{text}"
            );
        }
        let enough = Facts { regions: vec![Region { shares_unknown: false, ..unknown }], ..few };
        assert!(excluded(&enough, &[]).unwrap().contains("imbalance is 0.00 %"));
        let busy = Finding::new("busy_machine", 1e8, String::new(), "").first();
        assert!(excluded(&facts, std::slice::from_ref(&busy)).is_some(), "it is no cause inside of the program");
        assert_eq!(excluded(&facts, &[busy, Finding::new("critical", 1e8, String::new(), "")]), None);
        assert_eq!(excluded(&Facts { all_ns: 1e10, ..facts }, &[]), None, "there is little work");
    }

    #[test]
    fn waits_without_an_explanation_are_named_and_chunks_are_excluded_only_where_they_are_seen() {
        let region = Region { threads: 2, ended: 1, work_ns: 500_000_000, barrier_ns: 50_000_000, ..Region::default() };
        let mut facts = Facts { wall_ns: 5e8, all_ns: 1e9, regions: vec![region], ..Facts::default() };
        assert!(excluded(&facts, &[]).unwrap().contains("and chunks, tasks and regions are not too small"));
        facts.runtime_kind = RuntimeKind::Llvm;
        assert!(excluded(&facts, &[]).unwrap().contains("chunks of loops were not seen"));
        facts.waits.tasks.ns = 4e8;
        let text = excluded(&facts, &[]).unwrap();
        assert!(text.starts_with("45.00 % of the threads' time is waiting at barriers and for tasks"), "{text}");
        facts.regions[0].imbalance_ns = 50_000_000;
        facts.waits.tasks.ns = 9e7;
        assert!(excluded(&facts, &[]).unwrap().starts_with("no cause was found"), "they are due to uneven shares");
    }

    #[test]
    fn serial_code_is_excluded_only_with_the_time_for_which_it_sleeps() {
        let regions = vec![Region { threads: 2, ended: 20, work_ns: 900_000_000, ..Region::default() }];
        let (serial_ns, serial_wall_ns, serial_asleep_ns) = (1e7, Some(3e7), Some(2e7));
        let facts = Facts {
            wall_ns: 5e8,
            all_ns: 1e9,
            serial_ns,
            serial_wall_ns,
            serial_asleep_ns,
            regions,
            ..Facts::default()
        };
        let text = excluded(&facts, &[]).unwrap();
        assert!(text.contains("serial code is 3.00 % (most of it asleep),"), "{text}");
        for (serial_ns, serial_wall_ns) in [(1e7, Some(6e7)), (6e7, Some(6e7)), (6e7, None)] {
            let much = Facts { serial_ns, serial_wall_ns, ..facts.clone() };
            assert_eq!(excluded(&much, &[]), None, "before the first region nobody is idle");
        }
    }
}
