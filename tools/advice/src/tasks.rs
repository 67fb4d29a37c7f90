//! Faults of a program's tasks, derived from the figures of a collector that has measured them.

use serde::{Deserialize, Serialize};

use crate::facts::Place;
use crate::finding::Finding;
use crate::runtime_kind::RuntimeKind;
use terminal::quantity::{count, percent, time};

/// Figures of a process's tasks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tasks {
    /// Time from the process's start to its end.
    pub wall_ns: f64,
    /// Number of threads that have executed tasks.
    pub threads: f64,
    /// Kind of the runtime.
    pub runtime_kind: RuntimeKind,
    /// Number of tasks that were created.
    pub created: u64,
    /// The savings if no tasks are created below a level, if there is such a level.
    pub cut_off: Option<CutOff>,
    /// The places that create tasks, the most expensive first.
    pub constructs: Vec<Construct>,
}

/// Savings if no tasks are created below a level.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CutOff {
    /// The deepest level that keeps its tasks.
    pub level: usize,
    /// Number of tasks that would not be created.
    pub saved_tasks: u64,
    /// Time of all threads that would be saved.
    pub saved_ns: f64,
}

/// The tasks of one place.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Construct {
    /// The place; `None` if unknown.
    pub place: Option<Place>,
    /// Number of tasks that ran.
    pub executed: u64,
    /// The number of tasks that should be merged into one, and the time of all threads that this saves.
    pub joined: Option<(u64, f64)>,
    /// Time for which tasks ran while no other thread had a task, if it is worth reporting.
    pub alone_ns: Option<f64>,
    /// True if these tasks were longer than the others there.
    pub are_long: bool,
}

/// The cure for long tasks that run alone.
pub const LONG: &str = "make the longest ones smaller, or create them first";
/// The cure for tasks of about the same length that run alone.
pub const FEW: &str =
    "have more of them ready at a time: created before a wait for them, and not each dependent on the one before";

/// All findings that are worth a change, those that cost the most first.
pub fn findings(tasks: &Tasks) -> Vec<Finding> {
    #[cfg(feature = "record")]
    crate::record::print("tasks", tasks);
    let mut found: Vec<Finding> =
        tasks.constructs.iter().flat_map(|construct| of_construct(tasks, construct)).collect();
    found.extend(tasks.cut_off.map(|cut| cut_off(tasks, cut)));
    found.retain(|finding| {
        finding.costs_ns >= crate::LONG_NS && finding.costs_ns >= crate::MIN_GAIN * tasks.wall_ns * tasks.threads
    });
    found.sort_by(|one, other| other.costs_ns.total_cmp(&one.costs_ns));
    found
}

fn of_construct(tasks: &Tasks, construct: &Construct) -> Vec<Finding> {
    let name = construct.place.as_ref().map_or("a place that is unknown", |place| place.name.as_str());
    let all_ns = tasks.wall_ns * tasks.threads;
    let long = construct.alone_ns.map(|alone_ns| {
        let costs_ns = alone_ns * (tasks.threads - 1.0).max(0.0);
        let (id, one, cure) =
            if construct.are_long { ("long_tasks", "a long one", LONG) } else { ("few_tasks", "one", FEW) };
        let what = format!("For {} no other thread had a task while {one} of {name} ran", time(alone_ns));
        Finding::new(id, costs_ns, what, cure)
    });
    let small = construct.joined.map(|(each, saved_ns)| {
        let what = format!(
            "{} % of the threads' time is the handling of {} of {name} that {} small",
            percent(saved_ns, all_ns),
            count(construct.executed, "task", "tasks"),
            if construct.executed == 1 { "is" } else { "are" },
        );
        let fix = match each < construct.executed {
            true => {
                let grain = tasks.runtime_kind.directives("a taskloop's grainsize, or ");
                format!("make {each} of them one ({grain}a loop in the task)")
            }
            false => "do their work without tasks".to_owned(),
        };
        Finding::new("small_tasks", saved_ns, what, fix)
    });
    long.into_iter().chain(small).map(|finding| finding.at(construct.place.as_ref())).collect()
}

fn cut_off(tasks: &Tasks, cut: CutOff) -> Finding {
    let place = tasks.constructs.first().and_then(|construct| construct.place.as_ref());
    let elsewhere = if tasks.constructs.len() > 1 { " and elsewhere" } else { "" };
    let what = format!(
        "{} % of the threads' time is the handling of {} below level {}, {} % of all{}",
        percent(cut.saved_ns, tasks.wall_ns * tasks.threads),
        count(cut.saved_tasks, "task", "tasks"),
        cut.level,
        percent(cut.saved_tasks as f64, tasks.created as f64),
        place.map(|place| format!(", created in {}{elsewhere}", place.name)).unwrap_or_default(),
    );
    let fix = format!(
        "create none there: in a task of level {}, call the function instead{}",
        cut.level,
        tasks.runtime_kind.directives(", or use final clauses and omp_in_final")
    );
    Finding::new("small_tasks", cut.saved_ns, what, fix).at(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn construct() -> Construct {
        let place = Place { name: "fib at fib.c:8".to_owned(), line: Some(8), ..Place::default() };
        Construct { place: Some(place), executed: 1000, ..Construct::default() }
    }

    fn found(cut_off: Option<CutOff>, construct: Construct) -> Vec<(&'static str, String)> {
        let constructs = vec![construct];
        let tasks = Tasks { wall_ns: 1e9, threads: 2.0, created: 1000, cut_off, constructs, ..Tasks::default() };
        findings(&tasks).into_iter().map(|finding| (finding.id, finding.text(1e9))).collect()
    }

    #[test]
    fn the_dearest_comes_first_and_what_is_cheap_does_not_come() {
        let cut = CutOff { level: 3, saved_tasks: 900, saved_ns: 5e8 };
        let long = Construct { alone_ns: Some(9e8), are_long: true, ..construct() };
        let few = found(None, Construct { are_long: false, ..long.clone() });
        assert!(
            few[0].0 == "few_tasks" && few[0].1.contains("while one of fib") && few[0].1.contains("more of them ready"),
            "{few:?}"
        );
        let all = found(Some(cut), long);
        assert_eq!([all[0].0, all[1].0], ["long_tasks", "small_tasks"]);
        assert!(all[1].1.contains("25.00 % of the threads' time") && all[1].1.contains("90.00 % of all"), "{all:?}");
        assert!(all[1].1.contains("created in fib at fib.c:8: create none"), "{all:?}");
        assert!(found(Some(CutOff { saved_ns: 1.9e7, ..cut }), construct()).is_empty());
    }

    #[test]
    fn small_tasks_are_joined_or_done_without() {
        let join = |each| found(None, Construct { joined: Some((each, 4e8)), ..construct() })[0].1.clone();
        assert!(join(50).contains("make 50 of them one"));
        assert!(join(1000).contains("without tasks"));
    }
}
