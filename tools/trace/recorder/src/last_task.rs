//! The task that a lane has created last, and whether its creation was the lane's last event.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};

/// Only the lane's thread uses it; the fields are atomic for the sake of forked children.
#[derive(Debug)]
pub(crate) struct LastTask {
    id: AtomicU64,
    /// Id of the task if it is undeferred and has not started; else 0.
    at_once: AtomicU64,
    /// Address after the event of its creation.
    behind: AtomicPtr<AtomicU64>,
}

impl LastTask {
    pub(crate) fn new() -> Self {
        Self { id: AtomicU64::new(0), at_once: AtomicU64::new(0), behind: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Sets the task. `behind`: the address after the event of its creation.
    #[inline(always)]
    pub(crate) fn set(&self, id: u64, is_undeferred: bool, behind: *mut AtomicU64) {
        self.id.store(id, Relaxed);
        self.at_once.store(if is_undeferred { id } else { 0 }, Relaxed);
        self.behind.store(behind, Relaxed);
    }

    /// Id of the task; 0 if there is none.
    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.id.load(Relaxed)
    }

    /// True if a task that starts now is an undeferred one whose creation is the event before this address. A task
    /// starts once.
    #[inline(always)]
    pub(crate) fn begins_at_once(&self, task: u64, place: *mut AtomicU64) -> bool {
        if task == 0 || task != self.at_once.load(Relaxed) {
            return false;
        }
        self.at_once.store(0, Relaxed);
        place == self.behind.load(Relaxed)
    }

    /// Forgets the task: its event is in another file.
    pub(crate) fn forget(&self) {
        self.set(0, false, ptr::null_mut());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_begins_at_once_behind_its_creation_and_only_once() {
        let place = |number: usize| ptr::without_provenance_mut(16 * number);
        let last = LastTask::new();
        assert!(!last.begins_at_once(0, ptr::null_mut()), "there is none");
        last.set(7, true, place(1));
        assert!(!last.begins_at_once(6, place(1)), "another task");
        assert!(last.begins_at_once(7, place(1)) && !last.begins_at_once(7, place(1)));
        last.set(8, true, place(2));
        assert!(!last.begins_at_once(8, place(3)), "another event came in between");
        assert!(!last.begins_at_once(8, place(2)), "it has begun");
        last.set(9, false, place(4));
        assert!(!last.begins_at_once(9, place(4)), "it is deferred");
        last.set(10, true, place(5));
        last.forget();
        assert!(!last.begins_at_once(10, place(5)) && last.id() == 0);
    }
}
