//! State of a task.

use validate_layout::event::Sync;

use crate::constants::task;

/// Progress of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The task has not started.
    #[default]
    Created,
    /// A thread runs the task, or a region that the task has encountered.
    Running,
    /// The task has started, and its thread has left it for another task.
    Suspended,
    /// The task's code is done, but its event is not fulfilled (`detach`).
    Detached,
}

/// A construct that encloses the task's current point, innermost last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Sync(Sync, i32),
    Work(i32),
    Masked,
}

/// A task between its creation (or its start, if it is implicit) and its end.
#[derive(Debug, Default)]
pub(crate) struct Task {
    /// Flags of `task_create` or `implicit_task`.
    pub(crate) flags: i32,
    pub(crate) progress: Progress,
    /// The task that created this task, or that encountered its region.
    pub(crate) parent: Option<u64>,
    /// The task's region; `None` for an initial task outside a league.
    pub(crate) region: Option<u64>,
    /// The thread that started the task; 0 if it has not started.
    pub(crate) thread: u64,
    /// Implicit tasks: number in the team.
    pub(crate) index: u32,
    /// Implicit tasks: size of the team.
    pub(crate) actual: u32,
    /// Implicit tasks: the task that the thread ran before.
    pub(crate) resumes: Option<u64>,
    pub(crate) scopes: Vec<Scope>,
    /// Number of incomplete child tasks.
    pub(crate) children: u32,
    /// The innermost taskgroup around the task's creation.
    pub(crate) group: Option<u64>,
    /// Taskgroups that the task itself has started, innermost last.
    pub(crate) groups: Vec<u64>,
    /// An undeferred child task that this task waits for.
    pub(crate) waits_for: Option<u64>,
    /// True if `task_create` has announced `dependences`, which has not been called yet.
    pub(crate) owes_dependences: bool,
    /// True if the task's taskwait waits for only some of its children.
    pub(crate) waits_for_some: bool,
    /// Number of barriers that the task has encountered; for an explicit task, that of the implicit task from which
    /// it descends.
    pub(crate) epoch: u32,
    /// Number of single constructs that the task has encountered.
    pub(crate) singles: usize,
    /// Number of worksharing loops that the task has encountered.
    pub(crate) loops: usize,
    /// True if an enclosing construct was cancelled, so that the ends of regions inside may be missing.
    pub(crate) cancelled: bool,
    /// True if the task's loop or sections region was cancelled, so that its end may be missing.
    pub(crate) cancelled_work: bool,
}

impl Task {
    /// True if the task was created by `task_create`.
    pub(crate) fn is_explicit(&self) -> bool {
        self.flags & (task::INITIAL | task::IMPLICIT) == 0
    }

    /// True for an initial task that isn't a member of a league.
    pub(crate) fn is_outermost(&self) -> bool {
        self.flags & task::INITIAL != 0 && self.region.is_none()
    }

    /// The taskgroup of the tasks that this task currently creates.
    pub(crate) fn innermost_group(&self) -> Option<u64> {
        self.groups.last().copied().or(self.group)
    }
}
