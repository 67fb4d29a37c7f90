//! Which unfinished tasks a new task depends on (OpenMP 5.0, 2.17.11 and 4.5.2.9), where its runtime keeps that to itself.
//!
//! Only siblings depend on one another, and only the thread that executes their parent creates them: so each thread keeps
//! what it has created itself, by the parent's id and the variable. For a variable there are two groups of tasks: those
//! that used it last, in a way in which they don't wait for each other (all `in`, all `mutexinoutset`, all `inoutset`; an
//! `out` or `inout` is alone), and the group before. Whoever joins the last group depends on the one before, and whoever
//! comes after it on the last. Further back nothing is to be told: those are over when these are.
//!
//! A task's [`Node`] outlives it. The thread that ends the task says so there; whoever keeps lists drops it when he comes by.

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

/// What a thread keeps of the tasks that it has created.
pub(crate) struct Graph {
    places: Places,
    groups: Groups,
    nodes: Pool<Node>,
    /// The stack address of the frame that is at it, or 0.
    inside: AtomicUsize,
}

system::zeroed!(Graph { places, groups, nodes, inside });

/// What becomes of a new task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deferral {
    /// Others may be created before it is over. What has to happen before it is complete, but for its body: a word of the
    /// host's, or 0.
    Deferred(usize),
    /// Its creator waits for it.
    Undeferred,
}

impl Graph {
    /// `None` inside of a tool's callback that creates tasks, which it must not.
    fn enter(&'static self) -> Option<Inside> {
        let (mark, here) = (self.inside.load(Relaxed), stack_pointer());
        if here < mark {
            return None;
        }
        self.inside.store(here, Relaxed);
        Some(Inside(self))
    }

    /// What is kept of the variable among the task's siblings; new if the task is to be added.
    fn place(&'static self, task: &Task, variable: u64, add: bool) -> Option<&'static Place> {
        let (places, parent) = (&self.places, task.parent());
        places.find(parent, variable).or_else(|| if add { places.add(parent, variable) } else { None })
    }
}

/// A frame that is at the graph.
struct Inside(&'static Graph);

impl Drop for Inside {
    #[inline(always)] // so that it is seen not to unwind
    fn drop(&mut self) {
        self.0.inside.store(0, Relaxed);
    }
}

/// The kind as far as it matters: `out` is `inout`.
fn class(kind: DependenceKind) -> u32 {
    match kind {
        DependenceKind::Out => DependenceKind::Inout as u32,
        kind => kind as u32,
    }
}

/// Two dependences of one task on one variable are one.
const BOTH: u32 = DependenceKind::Inout as u32;

/// Whether tasks of this class don't wait for each other.
fn joins(class: u32) -> bool {
    class != BOTH
}
