//! Tasks: who a thread's current task is, and who created it.
//!
//! A task's record lives wherever its host finds room; a thread points to the one it executes, so that a query finds id and
//! parent of the same task. Explicit tasks get their id when they are created, implicit and initial ones when somebody asks:
//! most are never asked for.

use crate::slab::Zeroed;
use crate::thread::Thread;
use std::sync::atomic::{AtomicU64, Ordering::*};

/// One task: explicit, implicit or initial.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Task {
    id: AtomicU64,
    parent: AtomicU64,
}

#[allow(unsafe_code)]
// SAFETY: atomics only, for which zero is a value.
unsafe impl Zeroed for Task {}

/// In place of an id: the task gets one when somebody asks.
const UNNAMED: u64 = u64::MAX;

/// Ids are handed to threads in blocks, so that creating a task shares no cache line.
const BLOCK: u64 = 256;
static LAST_BLOCK: AtomicU64 = AtomicU64::new(0);

impl Clone for Task {
    /// The same task's record in another place.
    #[inline]
    fn clone(&self) -> Self {
        Self { id: AtomicU64::new(self.id()), parent: AtomicU64::new(self.parent()) }
    }
}

impl Task {
    /// The task's id, from 1; 0 for a record that is none's.
    #[inline(always)]
    pub fn id(&self) -> u64 {
        self.id.load(Relaxed)
    }

    /// The id of the task that created it, or 0.
    #[inline(always)]
    pub fn parent(&self) -> u64 {
        self.parent.load(Relaxed)
    }

    /// The id of a task that `thread`, the calling one, executes. Async-signal-safe.
    #[inline(always)]
    pub(crate) fn id_on(&self, thread: &Thread) -> u64 {
        match self.id() {
            UNNAMED => self.name_late(thread),
            id => id,
        }
    }

    /// The record is another implicit task's from now on.
    #[inline]
    pub(crate) fn renew(&self, parent: u64) {
        self.id.store(UNNAMED, Relaxed);
        self.parent.store(parent, Relaxed);
    }

    #[cold]
    fn name_late(&self, thread: &Thread) -> u64 {
        let id = thread.late_task_id();
        // A handler may have been first.
        self.id.compare_exchange(UNNAMED, id, Relaxed, Relaxed).map_or_else(|first| first, |_| id)
    }
}

impl Thread {
    /// Gives a task that the current one creates its id and parent.
    pub fn name_task(&'static self, task: &Task) {
        let new = self.new_task();
        task.parent.store(new.parent(), Relaxed);
        task.id.store(new.id(), Relaxed);
    }

    /// The record of a task that the current one creates.
    #[inline(always)]
    pub fn new_task(&'static self) -> Task {
        Task { id: AtomicU64::new(self.next_task_id()), ..self.child() }
    }

    /// As above, if that takes no more than a count: no new block of ids, and no name for the current task.
    #[inline(always)]
    pub(crate) fn new_task_at_hand(&'static self) -> Option<Task> {
        let last = self.task_ids().load(Relaxed);
        let parent = self.current_task()?.id();
        if last.is_multiple_of(BLOCK) || parent == UNNAMED {
            return None;
        }
        self.task_ids().store(last + 1, Relaxed);
        Some(Task { id: AtomicU64::new(last + 1), parent: AtomicU64::new(parent) })
    }

    /// Gives a task that the one of this id created its own id, and its parent.
    #[inline(always)]
    pub fn name_task_of(&'static self, parent: u64, task: &Task) {
        task.parent.store(parent, Relaxed);
        task.id.store(self.next_task_id(), Relaxed);
    }

    /// A record for tasks that the current one creates, without an id.
    #[inline(always)]
    pub fn child(&'static self) -> Task {
        let parent = self.current_task().map_or(0, |current| current.id_on(self));
        Task { id: AtomicU64::new(0), parent: AtomicU64::new(parent) }
    }

    /// The task becomes the thread's current one; the one before is returned.
    pub fn switch_task(&'static self, task: Option<&'static Task>) -> Option<&'static Task> {
        let before = self.current_task();
        self.set_current_task(task);
        before
    }

    #[inline(always)]
    fn next_task_id(&self) -> u64 {
        let next = self.task_ids().load(Relaxed);
        let next = if next.is_multiple_of(BLOCK) { new_block() } else { next };
        self.task_ids().store(next + 1, Relaxed);
        next + 1
    }

    /// As above, from a block of its own: a handler may come in between.
    fn late_task_id(&self) -> u64 {
        let ids: &AtomicU64 = self.late_task_ids();
        loop {
            let last = ids.load(Relaxed);
            let next = if last.is_multiple_of(BLOCK) { new_block() } else { last } + 1;
            if ids.compare_exchange(last, next, Relaxed, Relaxed).is_ok() {
                return next;
            }
        }
    }
}

#[cold]
fn new_block() -> u64 {
    LAST_BLOCK.fetch_add(1, Relaxed) * BLOCK
}
