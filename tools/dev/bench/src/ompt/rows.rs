//! Rows of `bench ompt`: events and queries, and the constructs in which they are measured.

use super::way::{Interface, Way};

/// Events that are registered together, and the constructs of `ompt/constructs.c` that raise them.
pub(crate) struct Family {
    pub(crate) title: &'static str,
    /// Callbacks that the tool of OpenMP 5 registers.
    pub(crate) v5: &'static str,
    /// Corresponding callbacks of Technical Report 2, if any.
    pub(crate) tr2: Option<&'static str>,
    pub(crate) constructs: &'static [&'static str],
}

const REGIONS: &[&str] = &["region_1", "region_2"];
const TASKS: &[&str] = &["task_queued", "task_undeferred"];
const MUTEXES: &[&str] = &["lock", "nest_lock", "critical_named", "critical_unnamed"];

/// Families, in the order of the tables.
pub(crate) const FAMILIES: &[Family] = &[
    Family {
        title: "parallel",
        v5: "parallel_begin,parallel_end",
        tr2: Some("parallel_begin,parallel_end"),
        constructs: REGIONS,
    },
    Family {
        title: "implicit_task",
        v5: "implicit_task",
        tr2: Some("implicit_task_begin,implicit_task_end"),
        constructs: REGIONS,
    },
    Family {
        title: "sync_region",
        v5: "sync_region",
        tr2: Some("barrier_begin,barrier_end,taskwait_begin,taskwait_end,taskgroup_begin,taskgroup_end"),
        constructs: &["barrier_1", "barrier_2", "taskwait", "taskgroup"],
    },
    Family { title: "task_create", v5: "task_create", tr2: Some("task_begin"), constructs: TASKS },
    Family { title: "task_schedule", v5: "task_schedule", tr2: Some("task_switch"), constructs: TASKS },
    // Technical Report 2 has no event like mutex_acquire: its wait events are raised only when a thread waits.
    Family { title: "mutex", v5: "mutex_acquire,mutex_acquired,mutex_released", tr2: None, constructs: MUTEXES },
    Family {
        title: "acquired, released",
        v5: "mutex_acquired,mutex_released",
        tr2: Some(concat!(
            "acquired_lock,release_lock,acquired_nest_lock_first,release_nest_lock_last,",
            "acquired_critical,release_critical"
        )),
        constructs: MUTEXES,
    },
    Family {
        title: "work",
        v5: "work",
        tr2: Some("loop_begin,loop_end,single_in_block_begin,single_in_block_end"),
        constructs: &["loop", "single"],
    },
    Family { title: "dispatch", v5: "dispatch", tr2: None, constructs: &["chunk"] },
];

impl Family {
    /// Name of the row of a construct in the samples.
    pub(crate) fn key(&self, construct: &str) -> String {
        format!("{} {construct}", self.title)
    }

    /// Callbacks that the tool registers for this family's rows. `None` if its interface has no such event.
    pub(crate) const fn callbacks(&self, interface: Interface) -> Option<&'static str> {
        match interface {
            Interface::Ours | Interface::Native => Some(self.v5),
            Interface::Tr2 => self.tr2,
        }
    }

    /// Ways in which this family's rows are run.
    pub(crate) fn ways(&self) -> impl Iterator<Item = Way> + use<'_> {
        let is_there = |way: &Way| way.tool().is_none_or(|(interface, _)| self.callbacks(interface).is_some());
        Way::EVERY.into_iter().filter(is_there)
    }
}

/// Name of a construct in the tables.
pub(crate) fn construct_title(construct: &str) -> &str {
    match construct {
        "region_1" => "region, 1 thread",
        "region_2" => "region, 2 threads",
        "barrier_1" => "barrier, 1 thread",
        "barrier_2" => "barrier, 2 threads",
        "task_queued" => "task, queued",
        "task_undeferred" => "task, undeferred",
        "nest_lock" => "nest lock",
        "critical_named" => "critical, named",
        "critical_unnamed" => "critical, unnamed",
        "chunk" => "chunk of a loop",
        other => other,
    }
}

/// True if two threads take part and wait for one another.
pub(crate) fn meets(construct: &str) -> bool {
    matches!(construct, "region_2" | "barrier_2")
}

/// Query of `ompt/queries.c`: its name in OpenMP 5, and its nearest counterpart in Technical Report 2.
pub(crate) struct Query {
    pub(crate) v5: &'static str,
    pub(crate) tr2: Option<&'static str>,
}

/// Queries, in the order of the tables. The first one is an empty call.
pub(crate) const QUERIES: &[Query] = &[
    Query { v5: "nothing", tr2: Some("nothing") },
    Query { v5: "state", tr2: Some("state") },
    Query { v5: "parallel_info", tr2: Some("parallel_id") },
    Query { v5: "task_info", tr2: Some("task_id") },
    Query { v5: "task_info", tr2: Some("task_frame") },
    Query { v5: "thread_data", tr2: None },
];

/// Place of a query: suffix of its name, and title.
pub(crate) const PLACES: [(&str, &str); 2] = [("outside", "outside of regions"), ("inside", "inside a region")];

impl Query {
    /// Name of the query in an interface.
    pub(crate) const fn name(&self, interface: Interface) -> Option<&'static str> {
        match interface {
            Interface::Ours | Interface::Native => Some(self.v5),
            Interface::Tr2 => self.tr2,
        }
    }

    /// Name of the query's row at a place, for the tool of an interface.
    pub(crate) fn key(&self, interface: Interface, place: &str) -> Option<String> {
        Some(format!("{}_{place}", self.name(interface)?))
    }
}

/// All queries that the tool of an interface makes, each once.
pub(crate) fn query_names(interface: Interface) -> Vec<String> {
    let all = QUERIES.iter().flat_map(|query| PLACES.map(|(place, _)| query.key(interface, place)));
    let mut names: Vec<String> = all.flatten().collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_an_event_of_tr2_are_not_run_with_its_tool() {
        let dispatch = FAMILIES.iter().find(|family| family.title == "dispatch").unwrap();
        let tr2 = |way: Way| way.tool().is_some_and(|(interface, _)| interface == Interface::Tr2);
        assert!(dispatch.ways().all(|way| !tr2(way)) && dispatch.ways().count() == 9);
        let work = FAMILIES.iter().find(|family| family.title == "work").unwrap();
        assert_eq!(work.ways().filter(|way| tr2(*way)).count(), 3);
    }

    #[test]
    fn a_query_is_made_once_in_each_place() {
        assert_eq!(query_names(Interface::Native).len(), 10);
        assert_eq!(query_names(Interface::Ours), query_names(Interface::Native));
        let tr2 = query_names(Interface::Tr2);
        assert!(tr2.len() == 10 && tr2.contains(&"task_frame_inside".to_owned()));
    }
}
