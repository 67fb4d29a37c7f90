//! Creation of a region's explicit tasks: the threads that create them, and for how long.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::task::implicit_of_key;
use crate::{Thread, Timeline, What};

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
    let of_implicit = OfImplicit::of(timeline);
    let mut found: FxHashMap<u64, Creation> = FxHashMap::default();
    for task in timeline.tasks.iter().filter(|task| task.created_ns > 0) {
        // Up to the implicit task; nothing is known about tasks whose creation was lost.
        let up = std::iter::successors(Some(task.parent), |parent| Some(timeline.task(*parent)?.parent));
        let Some(region) = up.take(DEEPEST).find_map(|parent| of_implicit.region(parent)) else { continue };
        let creation = found.entry(region).or_default();
        if creation.threads.is_empty() {
            creation.first_ns = task.created_ns;
        }
        creation.threads.insert(task.creator);
        creation.first_ns = creation.first_ns.min(task.created_ns);
        creation.last_ns = creation.last_ns.max(task.created_ns);
    }
    found
}

/// The region of each implicit task, thread by thread, in the order of the tasks' numbers.
struct OfImplicit(Vec<Vec<u64>>);

impl OfImplicit {
    fn of(timeline: &Timeline) -> Self {
        let of_thread = |thread: &Thread| {
            let implicit = thread.slices.iter().filter(|slice| slice.what == What::Implicit);
            implicit.map(|slice| slice.id).collect()
        };
        Self(timeline.threads.iter().map(of_thread).collect())
    }

    /// The region of the implicit task with a key.
    fn region(&self, key: u64) -> Option<u64> {
        let (thread, number) = implicit_of_key(key)?;
        self.0.get(thread as usize)?.get((number as usize).checked_sub(1)?).copied()
    }
}
