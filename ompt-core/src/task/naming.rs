//! Assignment of ids to new tasks: their own, and their parents'.

use super::{Task, UNNAMED, flag};
use crate::explicit_task::Tasks;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

/// The ids of a new task and of its parent.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    id: u64,
    parent: u64,
}

impl Task {
    /// The record of a new task with these ids and without flags.
    #[inline(always)]
    pub fn new(Named { id, parent }: Named) -> Self {
        Self { id: AtomicU64::new(id), parent: AtomicU64::new(parent), ..Self::default() }
    }

    /// Reinitialises the record, at its address, for a new task with these ids and [`flag`]s.
    #[inline(always)]
    pub(crate) fn rename(&self, Named { id, parent }: Named, flags: u32) {
        self.parent.store(parent, Relaxed);
        self.data.store(0, Relaxed);
        self.frame.clear();
        self.set_flags(flags);
        self.id.store(id, Relaxed);
    }
}

impl Tasks {
    /// Assigns id and parent to a task that the current one creates.
    pub fn name(self, task: &Task) {
        let new = self.new_task();
        task.parent.store(new.parent(), Relaxed);
        task.id.store(new.id(), Relaxed);
    }

    /// Reinitialises a record for a task that the current one creates: id, parent, and [`flag`]s.
    #[inline]
    pub fn name_new(self, task: &Task, flags: u32) {
        self.name_child_of(self.thread.current.task().map_or(0, |current| self.thread.task_ids.id_of(current)), task);
        task.set_flags(flags);
    }

    /// The record of a task that the current one creates.
    #[inline(always)]
    pub fn new_task(self) -> Task {
        let id = AtomicU64::new(self.thread.task_ids.next());
        Task { id, ..self.child() }
    }

    /// The ids of a task that `creator` creates, if that needs only an increment: no new block of ids, and no id for
    /// the creator.
    #[inline(always)]
    pub(crate) fn name_at_hand(self, creator: &'static Task) -> Option<Named> {
        let parent = creator.id();
        if parent == UNNAMED {
            return None;
        }
        let id = self.thread.task_ids.next_at_hand()?;
        Some(Named { id, parent })
    }

    /// Assigns an id, and this parent, to a task that the parent has created.
    #[inline(always)]
    pub fn name_child_of(self, parent: u64, task: &Task) {
        task.parent.store(parent, Relaxed);
        task.data.store(0, Relaxed);
        task.frame.clear();
        task.id.store(self.thread.task_ids.next(), Relaxed);
    }

    /// A record for tasks that the current one creates, without an id.
    #[inline(always)]
    pub fn child(self) -> Task {
        let parent = self.thread.current.task().map_or(0, |current| self.thread.task_ids.id_of(current));
        Task { parent: AtomicU64::new(parent), flags: AtomicU32::new(flag::EXPLICIT), ..Task::default() }
    }
}
