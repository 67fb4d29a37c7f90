//! Goals of `bench ompt`: no event and no query costs more than on LLVM's own runtime.

use super::Report;
use super::figures::{Figure, event, is_comparable, query_cost};
use super::rows::{FAMILIES, PLACES, QUERIES, construct_title, meets};
use super::way::Interface;
use crate::verdict::Verdict;

/// Differences too small for the tables: nanoseconds, instructions.
const UNSEEN: (f64, f64) = (0.05, 0.5);

/// Comparison of the cost of an event or a query with its cost on LLVM's runtime.
pub(crate) struct Goal {
    pub(crate) what: String,
    pub(crate) here: Figure,
    pub(crate) there: Figure,
}

/// All goals that have values in the report, except where the numbers of events differ.
pub(crate) fn goals(report: &Report) -> Vec<Goal> {
    let mut goals = Vec::new();
    for interface in [Interface::Ours, Interface::Tr2] {
        for family in FAMILIES {
            for construct in family.constructs {
                let row = family.key(construct);
                if !is_comparable(report, &row, interface) {
                    continue;
                }
                let pair = event(report, &row, interface).zip(event(report, &row, Interface::Native));
                goals.extend(pair.map(|(mut here, there)| {
                    // The waiting thread, and the number of waits, differ from run to run.
                    here.instructions = here.instructions.filter(|_| !meets(construct));
                    let what = format!("{interface}: {} ({})", family.title, construct_title(construct));
                    Goal { what, here, there }
                }));
            }
        }
        goals.extend(of_queries(report, interface));
    }
    goals
}

/// Goals of queries.
fn of_queries(report: &Report, interface: Interface) -> Vec<Goal> {
    let mut goals: Vec<Goal> = Vec::new();
    // The first entry is an empty call, not a query.
    for query in QUERIES.iter().skip(1) {
        let Some(name) = query.name(interface) else { continue };
        for (place, place_title) in PLACES {
            let key = |interface| query.key(interface, place);
            let (Some(here), Some(there)) = (key(interface), key(Interface::Native)) else { continue };
            let what = format!("{interface}: ompt_get_{name} ({place_title})");
            let pair = query_cost(report, &here, interface).zip(query_cost(report, &there, Interface::Native));
            // One query may correspond to several queries of Technical Report 2.
            let is_new = goals.iter().all(|goal| goal.what != what);
            goals.extend(pair.filter(|_| is_new).map(|(here, there)| Goal { what, here, there }));
        }
    }
    goals
}

impl Goal {
    /// Verdict by the times.
    pub(crate) fn times(&self) -> Verdict {
        let met = |here: f64, there: f64| here <= there + UNSEEN.0;
        Verdict::of(met(self.here.best, self.there.best), met(self.here.median, self.there.median))
    }

    /// Verdict by the instructions, if they were counted and are the same in each run.
    pub(crate) fn instructions(&self) -> Option<Verdict> {
        let (here, there) = self.here.instructions.zip(self.there.instructions)?;
        let met = here <= there + UNSEEN.1;
        Some(Verdict::of(met, met))
    }
}

#[cfg(test)]
mod tests {
    use super::super::figures::sample;
    use super::*;

    #[test]
    fn what_is_dearer_than_on_the_other_runtime_misses_the_goal() {
        let goals = goals(&sample(2.0));
        let verdicts: Vec<_> = goals.iter().map(|goal| (&*goal.what, goal.times(), goal.instructions())).collect();
        assert_eq!(
            verdicts,
            [("ours: work (loop)", Verdict::Met, Some(Verdict::Missed)), ("TR2: work (loop)", Verdict::Missed, None),]
        );
    }

    #[test]
    fn where_counts_differ_there_is_no_goal() {
        let goals = goals(&sample(3.0));
        assert!(goals.iter().all(|goal| goal.what.starts_with("TR2")) && goals.len() == 1);
    }
}
