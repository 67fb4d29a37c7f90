//! Ancestors of explicit tasks: the tasks that created them, up to the implicit task of a region.

use std::iter::successors;

use crate::task::implicit_of_key;
use crate::{Task, Thread, Timeline, What};

/// Tasks nested deeper than this are ignored.
const DEEPEST: usize = 256;

/// The tasks of a process with what their ancestors belong to.
#[derive(Debug)]
pub(crate) struct Ancestry<'t> {
    timeline: &'t Timeline,
    /// The region of each implicit task, thread by thread, in the order of the tasks' numbers.
    of_implicit: Vec<Vec<u64>>,
}

impl<'t> Ancestry<'t> {
    pub(crate) fn of(timeline: &'t Timeline) -> Self {
        let of_thread = |thread: &Thread| {
            let implicit = thread.slices.iter().filter(|slice| slice.what == What::Implicit);
            implicit.map(|slice| slice.id).collect()
        };
        Self { timeline, of_implicit: timeline.threads.iter().map(of_thread).collect() }
    }

    /// The region whose implicit task is the task's outermost ancestor. `None` if the creation of an ancestor was lost.
    pub(crate) fn region(&self, task: &'t Task) -> Option<u64> {
        self.up(task).find_map(|task| self.region_of_implicit(task.parent))
    }

    /// The task itself or that ancestor of it which the task with key `of` has created.
    pub(crate) fn child(&self, of: u64, task: &'t Task) -> Option<&'t Task> {
        self.up(task).find(|task| task.parent == of)
    }

    /// The task and its explicit ancestors.
    fn up(&self, task: &'t Task) -> impl Iterator<Item = &'t Task> + use<'t> {
        let timeline = self.timeline;
        successors(Some(task), |task| timeline.task(task.parent)).take(DEEPEST)
    }

    /// The region of the implicit task with a key.
    fn region_of_implicit(&self, key: u64) -> Option<u64> {
        let (thread, number) = implicit_of_key(key)?;
        self.of_implicit.get(thread as usize)?.get((number as usize).checked_sub(1)?).copied()
    }
}
