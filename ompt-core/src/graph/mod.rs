//! Dependence graph: the unfinished tasks that a new task depends on (OpenMP 5.0, 2.17.11 and 4.5.2.9), for runtimes
//! that don't report them.
//!
//! Only siblings depend on one another, and only the thread that executes their parent creates them. So each thread
//! keeps the tasks that it has created itself, by the parent's id and the variable. Each variable has two groups of
//! tasks. The last group used it in such a way that its tasks don't wait for each other (all `in`, all `mutexinoutset`,
//! all `inoutset`; an `out` or `inout` is alone); the other group is the one before. A task that joins the last group
//! depends on the one before; a task that starts a new group depends on the last. Earlier tasks need no report: they
//! are complete when these are.
//!
//! A task's [`Node`] outlives it. The thread that ends the task marks the node; the thread that owns a list removes the
//! node when it walks the list.

mod group;
mod node;
mod place;
mod pool;
mod predecessors;

pub use node::Node;

use crate::detail::DependenceKind;
use crate::task::Task;
use group::Groups;
use place::{Place, Places};
use pool::Pool;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use system::arch::stack_pointer;

/// Graph of the tasks that one thread has created.
pub(crate) struct Graph {
    places: Places,
    groups: Groups,
    nodes: Pool<Node>,
    /// The stack address of the frame that uses the graph, or 0.
    inside: AtomicUsize,
}

system::zeroed!(Graph { places, groups, nodes, inside });

/// Deferral of a new task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deferral {
    /// Other tasks may be created before the task is complete. The value is a word of the adapter, or 0: what has to
    /// happen, non_parallel from the task's body, before the task is complete.
    Deferred(usize),
    /// The creator waits for the task.
    Undeferred,
}

impl Graph {
    /// Number of variables that are remembered.
    #[cfg(test)]
    pub(crate) fn variables(&self) -> usize {
        self.places.count()
    }

    /// Enters the graph; `None` inside a tool's callback that creates tasks, which it must not do.
    fn enter(&'static self) -> Option<Inside> {
        let (mark, here) = (self.inside.load(Relaxed), stack_pointer());
        if here < mark {
            return None;
        }
        self.inside.store(here, Relaxed);
        Some(Inside(self))
    }

    /// The record of the variable for the task's siblings; a new one if the task is to be added.
    fn place(&'static self, task: &Task, variable: u64, add: bool) -> Option<&'static Place> {
        let (places, parent) = (&self.places, task.parent());
        places.find(parent, variable).or_else(|| if add { places.add(parent, variable) } else { None })
    }
}

/// Guard of the frame that uses the graph.
struct Inside(&'static Graph);

impl Drop for Inside {
    #[inline(always)] // so that the compiler sees that it doesn't unwind
    fn drop(&mut self) {
        self.0.inside.store(0, Relaxed);
    }
}

/// The class of a kind of dependence: `out` counts as `inout`.
fn class(kind: DependenceKind) -> u32 {
    match kind {
        DependenceKind::Out => DependenceKind::Inout as u32,
        kind => kind as u32,
    }
}

/// The class of two different dependences of one task on the same variable.
const BOTH: u32 = DependenceKind::Inout as u32;

/// True if tasks of this class don't wait for each other.
fn joins(class: u32) -> bool {
    class != BOTH
}
