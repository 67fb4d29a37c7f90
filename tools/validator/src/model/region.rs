//! What is known of a parallel region or a league, and of a taskgroup.

use std::collections::{BTreeMap, BTreeSet};

use super::Loops;

/// A region between `parallel_begin` and the end of its last member.
#[derive(Debug, Default)]
pub(crate) struct Region {
    /// The task that encountered it.
    pub(crate) by: u64,
    /// The thread of that task.
    pub(crate) thread: u64,
    /// The flags of its begin.
    pub(crate) flags: i32,
    /// How many members were asked for.
    pub(crate) requested: u32,
    /// How many it has; known with its first implicit task.
    pub(crate) actual: Option<u32>,
    /// Who has begun.
    pub(crate) begun: BTreeSet<u32>,
    /// How many have begun and not ended.
    pub(crate) running: u32,
    /// The member on the encountering thread has ended.
    pub(crate) primary_ended: bool,
    /// `parallel_end` was seen.
    pub(crate) ended: bool,
    /// It is a league of libomp's, or lies inside of one: words and numbers of members are not to be relied on.
    pub(crate) loose: bool,
    /// Somebody has cancelled it.
    pub(crate) cancelled: bool,
    /// A task that was not complete at the end of a barrier, and which barrier.
    pub(crate) left_early: Option<(u64, u32)>,
    /// How many barriers each member has met.
    pub(crate) barriers: BTreeMap<u32, u32>,
    /// Who executed its single constructs, in the order in which every member meets them.
    pub(crate) singles: Vec<Single>,
    /// Its worksharing loops.
    pub(crate) loops: Loops,
    /// How many of its explicit tasks are not complete, by how many barriers their creator had met.
    tasks: BTreeMap<u32, u32>,
}

/// A single construct.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Single {
    pub(crate) executors: u32,
    pub(crate) others: u32,
}

impl Region {
    /// One that begins.
    pub(crate) fn new(by: u64, thread: u64, flags: i32, requested: u32) -> Self {
        Self { by, thread, flags, requested, ..Self::default() }
    }

    /// An explicit task was created after so many barriers.
    pub(crate) fn count_task(&mut self, epoch: u32) {
        *self.tasks.entry(epoch).or_default() += 1;
    }

    /// One is complete.
    pub(crate) fn forget_task(&mut self, epoch: u32) {
        if let Some(count) = self.tasks.get_mut(&epoch) {
            *count -= 1;
            if *count == 0 {
                self.tasks.remove(&epoch);
            }
        }
    }

    /// Whether a task is incomplete that was created before the `epoch`th barrier.
    pub(crate) fn has_tasks_before(&self, epoch: u32) -> bool {
        self.tasks.first_key_value().is_some_and(|(first, _)| *first < epoch)
    }
}

/// A taskgroup region.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// The one around it.
    pub(crate) outer: Option<u64>,
    /// How many of its tasks are not complete, with those of the groups inside.
    pub(crate) tasks: u32,
    /// Somebody has cancelled it.
    pub(crate) cancelled: bool,
}
