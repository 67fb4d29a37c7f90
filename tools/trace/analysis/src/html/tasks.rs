//! Tasks as a graph, where there are few: who created whom, and who had to wait for whom.

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::{Site, Timeline};

/// Most tasks that are drawn.
const MOST: usize = 60;

/// The tasks of a process.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Graph {
    /// Number of all tasks; more than there are nodes: they are too many to be drawn.
    all: usize,
    nodes: Vec<Node>,
    /// The node before, the one behind, and true for a dependence, false for a creation.
    edges: Vec<(usize, usize, bool)>,
}

/// An explicit task, or an implicit one that has created some.
#[derive(Debug, PartialEq, Serialize)]
struct Node {
    name: String,
    is_explicit: bool,
    /// Thread that executed its first piece; of an implicit task its thread.
    thread: u32,
    /// Since the begin of the run; 0: it never began.
    begun_ns: u64,
    /// From the begin of the first piece to the end.
    length_ns: u64,
}

/// The graph of a process.
pub(super) fn of(timeline: &Timeline) -> Graph {
    let mut graph = Graph { all: timeline.tasks.len(), ..Graph::default() };
    if graph.all > MOST {
        return graph;
    }
    let mut tasks: Vec<_> = timeline.tasks.iter().collect();
    tasks.sort_by_key(|task| (task.created_ns, task.id));
    let mut known = FxHashMap::default();
    for task in tasks {
        let creator = *known.entry(task.parent).or_insert_with(|| {
            let name = format!("implicit task of thread {}", timeline.thread_name(task.creator as usize));
            let node = Node { name, is_explicit: false, thread: task.creator, begun_ns: 0, length_ns: 0 };
            graph.nodes.push(node);
            graph.nodes.len() - 1
        });
        let place = timeline.sites.get(task.code).map(Site::place).filter(|place| !place.is_empty());
        graph.edges.push((creator, graph.nodes.len(), false));
        known.insert(task.id, graph.nodes.len());
        graph.nodes.push(Node {
            name: place.map_or_else(|| "task".to_owned(), |place| format!("task at {place}")),
            is_explicit: true,
            thread: task.first.0,
            begun_ns: task.begun_ns.saturating_sub(timeline.begin_ns),
            length_ns: task.ended_ns.saturating_sub(task.begun_ns),
        });
    }
    let mut dependences: Vec<_> = timeline.dependences.iter().collect();
    dependences.sort_unstable();
    dependences.dedup();
    for (before, behind) in dependences {
        if let (Some(before), Some(behind)) = (known.get(before), known.get(behind)) {
            graph.edges.push((*before, *behind, true));
        }
    }
    graph
}
