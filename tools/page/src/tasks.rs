//! Tasks as a graph.

use serde::Serialize;

/// The tasks of a process.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct TaskGraph {
    /// Number of all tasks; more than there are nodes: they are too many to be drawn.
    pub all: usize,
    /// Tasks that are drawn.
    pub nodes: Vec<Node>,
    /// The earlier node, the later one, and true for a dependence, false for a creation.
    pub edges: Vec<(usize, usize, bool)>,
}

/// An explicit task, or an implicit one that has created some.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Name, with the place.
    pub name: String,
    /// False for an implicit task.
    pub is_explicit: bool,
    /// Thread that executed its first piece; of an implicit task its thread.
    pub thread: u32,
    /// Nanoseconds since the beginning of the run; 0: it never began.
    pub begun_ns: u64,
    /// From the beginning of the first piece to the end.
    pub length_ns: u64,
}
