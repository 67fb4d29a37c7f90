//! Tasks as a graph.

use serde::Serialize;

/// Tasks of a process.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct TaskGraph {
    /// Number of all tasks. If it exceeds the number of nodes, there are too many to be drawn.
    pub all: usize,
    /// Tasks that are drawn.
    pub nodes: Vec<Node>,
    /// The earlier node, the later one, and true for a dependence or false for a creation.
    pub edges: Vec<(usize, usize, bool)>,
}

/// Explicit task, or an implicit task that has created some.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Name, with the place.
    pub name: String,
    /// False for an implicit task.
    pub is_explicit: bool,
    /// Thread that executed its first piece, or the thread of an implicit task.
    pub thread: u32,
    /// Nanoseconds since the start of the run; 0 if it never started.
    pub begun_ns: u64,
    /// Time from the start of the first piece to the end.
    pub length_ns: u64,
}
