//! Tasks as a graph, if there are few: which task created which, and which had to wait for which.

use page::{Node, TaskGraph as Graph};
use rustc_hash::FxHashMap;

use crate::{Site, Timeline};

/// Maximum number of tasks that are drawn.
const MAX_TASKS: usize = 60;

/// The graph of a process.
pub(super) fn of(timeline: &Timeline) -> Graph {
    let mut graph = Graph { all: timeline.tasks.len(), ..Graph::default() };
    if graph.all > MAX_TASKS {
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
    for (before, after) in dependences {
        if let (Some(before), Some(after)) = (known.get(before), known.get(after)) {
            graph.edges.push((*before, *after, true));
        }
    }
    graph
}
