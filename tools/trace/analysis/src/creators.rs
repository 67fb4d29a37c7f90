//! Creation of a region's explicit tasks: the threads that create them, and for how long.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cause::slices;
use crate::task::implicit_key;
use crate::{Timeline, What};

/// Tasks nested deeper than this are ignored.
const DEEPEST: usize = 256;

/// Creation of the tasks of one region.
#[derive(Debug, Default)]
pub(crate) struct Creation {
    threads: FxHashSet<u32>,
    /// Time of the first one, and of the last one.
    pub(crate) first_ns: u64,
    pub(crate) last_ns: u64,
}

impl Creation {
    /// The number of threads that created tasks.
    pub(crate) fn creators(&self) -> usize {
        self.threads.len()
    }
}

/// The regions with tasks, by id.
pub(crate) fn of(timeline: &Timeline) -> FxHashMap<u64, Creation> {
    let of_implicit = regions_of_implicit_tasks(timeline);
    let mut found: FxHashMap<u64, Creation> = FxHashMap::default();
    for task in timeline.tasks.iter().filter(|task| task.created_ns > 0) {
        // Up to the implicit task; nothing is known about tasks whose creation was lost.
        let up = std::iter::successors(Some(task.parent), |parent| Some(timeline.task(*parent)?.parent));
        let Some(region) = up.take(DEEPEST).find_map(|parent| of_implicit.get(&parent)) else { continue };
        let creation = found.entry(*region).or_default();
        if creation.threads.is_empty() {
            creation.first_ns = task.created_ns;
        }
        creation.threads.insert(task.creator);
        creation.first_ns = creation.first_ns.min(task.created_ns);
        creation.last_ns = creation.last_ns.max(task.created_ns);
    }
    found
}

/// The region of each implicit task, by the task's key.
fn regions_of_implicit_tasks(timeline: &Timeline) -> FxHashMap<u64, u64> {
    let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
    let implicit = slices(timeline).filter(|(_, _, slice)| slice.what == What::Implicit);
    let keyed = implicit.map(|(thread, _, slice)| {
        let number = counts.entry(thread).or_default();
        *number += 1;
        (implicit_key(thread, *number), slice.id)
    });
    keyed.collect()
}
