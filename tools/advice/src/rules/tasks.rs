//! Tasks that take less time than their handling.

use terminal::quantity::{percent, time};

use crate::facts::{Facts, Region, SharedBy};
use crate::finding::Finding;

/// A task whose thread runs for less time, including the handling of the task, is too small.
const SMALL_NS: f64 = 2_000.0;
/// By how much isn't always known to `ora tasks`, either: LLVM's runtime doesn't show the cost of a task, nor any runtime that of a
/// taskloop's chunks, and subtrees may be uneven.
const LARGER: &str = "make them larger (`ora tasks` shows where they are created, and how long they run)";

/// The time that the threads run per task of the region, if that is too short. It includes the handling of the tasks. `None` also if the
/// region has loops beside its tasks, which may be what takes the time.
pub(super) fn small_task_ns(region: &Region) -> Option<f64> {
    let each_ns = region.ran_ns() / region.tasks as f64;
    (region.tasks > 0 && !has_tasks_beside_loops(region) && each_ns < SMALL_NS).then_some(each_ns)
}

/// True if the region's text has loops without tasks, and the region has tasks as well.
pub(super) fn has_tasks_beside_loops(region: &Region) -> bool {
    region.tasks > 0 && region.has_loop_without_tasks()
}

pub(super) fn look(facts: &Facts, found: &mut Vec<Finding>) {
    for region in facts.regions.iter().filter(|region| region.shared_by == Some(SharedBy::Tasks)) {
        if !region.has_small_pieces() {
            continue;
        }
        // Threads that don't find a task wait while others create some.
        let costs_ns = (region.handled_ns + region.barrier_ns.saturating_sub(region.no_processor_ns)) as f64;
        let what = format!(
            "{} % of the threads' time is the handling of tasks in {}, and waits for them",
            percent(costs_ns, facts.all_ns),
            region.name()
        );
        found.push(Finding::new("small_tasks", costs_ns, what, LARGER).at(region.place.as_ref()));
    }
    for region in &facts.regions {
        let Some(each_ns) = small_task_ns(region) else { continue };
        let costs_ns = (region.work_ns + region.barrier_ns) as f64;
        let what = format!(
            "{} % of the threads' time goes into {}, whose {} tasks take {} each on average, including the cost of handling them",
            percent(costs_ns, facts.all_ns),
            region.name(),
            region.tasks,
            time(each_ns)
        );
        found.push(Finding::new("small_tasks", costs_ns, what, LARGER).at(region.place.as_ref()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::runtime_kind::RuntimeKind;

    #[test]
    fn the_time_of_a_loop_is_not_that_of_tasks_beside_it() {
        let with = |has_loop_without_tasks| {
            let directive = Some(Directive { has_loop_without_tasks, ..Directive::default() });
            Region { threads: 2, tasks: 900_000, shares_ns: 900_000_000, directive, ..Region::default() }
        };
        assert_eq!(small_task_ns(&with(false)), Some(1_000.0));
        assert_eq!(small_task_ns(&with(true)), None);
    }

    #[test]
    fn the_next_command_answers_what_it_is_named_for() {
        let region = Region { threads: 2, ended: 1, work_ns: 54_000_000, tasks: 1_000_000, ..Region::default() };
        let sampled = Region { shared_by: Some(SharedBy::Tasks), tasks: 0, handled_ns: 50_000_000, ..region.clone() };
        for (region, runtime_kind) in
            [(&region, RuntimeKind::Gnu), (&region, RuntimeKind::Llvm), (&sampled, RuntimeKind::Gnu)]
        {
            let regions = vec![region.clone()];
            let mut found = Vec::new();
            look(&Facts { wall_ns: 5e7, all_ns: 1e8, runtime_kind, regions, ..Facts::default() }, &mut found);
            let texts: Vec<_> = found.iter().map(|finding| finding.text(5e7)).collect();
            assert!(texts.len() == 1 && texts[0].contains("how long they run"), "{texts:?}");
            assert!(!texts[0].contains("says how large"), "{texts:?}");
        }
    }
}
