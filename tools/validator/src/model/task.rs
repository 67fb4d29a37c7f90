//! What is known of a task.

use crate::event::Sync;
use crate::numbers::task;

/// How far a task has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It has not begun.
    #[default]
    Created,
    /// A thread runs it, or a region that it has encountered.
    Running,
    /// It has begun, and its thread has left it for another task.
    Suspended,
    /// Its code is done, and an event of it is not fulfilled.
    Detached,
}

/// What a task is inside of, innermost last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Sync(Sync, i32),
    Work(i32),
    Masked,
}

/// A task between its creation (or, if it is an implicit one, its begin) and its end.
#[derive(Debug, Default)]
pub(crate) struct Task {
    /// The flags of its creation.
    pub(crate) flags: i32,
    pub(crate) stage: Stage,
    /// The task that created it, or encountered its region.
    pub(crate) parent: Option<u64>,
    /// The region that it belongs to; an initial task outside of a league has none.
    pub(crate) region: Option<u64>,
    /// The thread that began it; 0: none yet.
    pub(crate) thread: u64,
    /// Of an implicit task: its number in the team.
    pub(crate) index: u32,
    /// Of an implicit task: how many there are.
    pub(crate) actual: u32,
    /// Of an implicit task: what its thread ran before.
    pub(crate) resumes: Option<u64>,
    pub(crate) scopes: Vec<Scope>,
    /// How many tasks it has created that are not complete.
    pub(crate) children: u32,
    /// The innermost taskgroup around its creation.
    pub(crate) group: Option<u64>,
    /// The taskgroups that it has begun itself, innermost last.
    pub(crate) groups: Vec<u64>,
    /// An undeferred task that it has created.
    pub(crate) waits_for: Option<u64>,
    /// `dependences` has been promised and has not come.
    pub(crate) owes_dependences: bool,
    /// Its taskwait waits for some of its children only.
    pub(crate) waits_for_some: bool,
    /// How many barriers it has met; of an explicit task: how many the implicit task had met from which it comes.
    pub(crate) epoch: u32,
    /// How many single constructs it has met.
    pub(crate) singles: usize,
    /// How many worksharing loops it has met.
    pub(crate) loops: usize,
    /// A construct around it was cancelled: the ends of regions inside may be missing.
    pub(crate) cancelled: bool,
    /// Its loop or sections region was cancelled: the end may be missing.
    pub(crate) cancelled_work: bool,
}

impl Task {
    /// Created by `task_create`.
    pub(crate) fn is_explicit(&self) -> bool {
        self.flags & (task::INITIAL | task::IMPLICIT) == 0
    }

    /// An initial task that is no member of a league.
    pub(crate) fn is_outermost(&self) -> bool {
        self.flags & task::INITIAL != 0 && self.region.is_none()
    }

    /// The taskgroup that tasks belong to which it creates now.
    pub(crate) fn innermost_group(&self) -> Option<u64> {
        self.groups.last().copied().or(self.group)
    }
}
