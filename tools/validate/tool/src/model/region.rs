//! State of a parallel region or a league, and of a taskgroup.

use std::collections::{BTreeMap, BTreeSet};

use super::Loops;

/// A region between `parallel_begin` and the end of its last member.
#[derive(Debug, Default)]
pub(crate) struct Region {
    /// The task that encountered the region.
    pub(crate) by: u64,
    /// The thread of the encountering task.
    pub(crate) thread: u64,
    /// Flags of `parallel_begin`.
    pub(crate) flags: i32,
    /// Requested number of members.
    pub(crate) requested: u32,
    /// Actual number of members; known from the first implicit task on.
    pub(crate) actual: Option<u32>,
    /// Numbers of the members that have started.
    pub(crate) begun: BTreeSet<u32>,
    /// Number of members that have started and not ended.
    pub(crate) running: u32,
    /// True once the member on the encountering thread has ended.
    pub(crate) primary_ended: bool,
    /// True once `parallel_end` was seen.
    pub(crate) ended: bool,
    /// True for libomp's leagues, and for a region inside one: data words and numbers of members are unreliable.
    pub(crate) loose: bool,
    /// True if the region was cancelled.
    pub(crate) cancelled: bool,
    /// A task that was not complete at the end of a barrier, and the index of that barrier.
    pub(crate) left_early: Option<(u64, u32)>,
    /// Number of barriers that each member has encountered.
    pub(crate) barriers: BTreeMap<u32, u32>,
    /// Executors of the single constructs, in the order in which every member encounters them.
    pub(crate) singles: Vec<Single>,
    /// The region's worksharing loops.
    pub(crate) loops: Loops,
    /// Number of the region's incomplete explicit tasks, by the number of barriers that their creator had
    /// encountered.
    tasks: BTreeMap<u32, u32>,
}

/// State of a single construct.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Single {
    pub(crate) executors: u32,
    pub(crate) others: u32,
}

impl Region {
    /// Creates the state of a region that starts.
    pub(crate) fn new(by: u64, thread: u64, flags: i32, requested: u32) -> Self {
        Self { by, thread, flags, requested, ..Self::default() }
    }

    /// Counts an explicit task that was created after `epoch` barriers.
    pub(crate) fn count_task(&mut self, epoch: u32) {
        *self.tasks.entry(epoch).or_default() += 1;
    }

    /// Decrements that count when the task is complete.
    pub(crate) fn forget_task(&mut self, epoch: u32) {
        if let Some(count) = self.tasks.get_mut(&epoch) {
            *count -= 1;
            if *count == 0 {
                self.tasks.remove(&epoch);
            }
        }
    }

    /// True if a task that was created before the `epoch`th barrier is incomplete.
    pub(crate) fn has_tasks_before(&self, epoch: u32) -> bool {
        self.tasks.first_key_value().is_some_and(|(first, _)| *first < epoch)
    }
}

/// State of a taskgroup region.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// The enclosing taskgroup.
    pub(crate) outer: Option<u64>,
    /// Number of its incomplete tasks, and of the open taskgroups directly inside that have had tasks.
    pub(crate) inside: u32,
    /// True if it has had tasks: it is counted in the enclosing taskgroup.
    pub(crate) is_counted: bool,
    /// True if the taskgroup was cancelled.
    pub(crate) cancelled: bool,
}
