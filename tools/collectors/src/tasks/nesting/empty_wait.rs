//! Waits that have nothing to wait for: all that the task has created has run at once. Such a wait takes no time, so that neither its
//! begin nor its end needs the clock, which is a large part of what an event costs.

use super::{Kind, NOTHING, Nesting, Since};
use crate::tasks::frames::Frame;

impl Nesting {
    /// A task was queued in the current one, or inside of it in one that ran at once.
    #[inline(always)]
    pub(super) fn note_queued(&mut self) {
        if let Some(current) = self.frames.current() {
            current.queued = true;
        }
    }

    /// BEGIN_SUSPEND_TASK without the time, where the current task has nothing to wait for: all that it has created has run at once, and so
    /// has what was created in that. Its wait takes no time. False, and nothing done: there may be something.
    #[inline(always)]
    pub(in crate::tasks) fn begin_empty_wait(&mut self) -> bool {
        let is_empty = self.inner == 0
            && !self.frames.overflown()
            && self.since != Since::EmptyWait
            && self.frames.top().is_some_and(|top| top.kind == Kind::Execution && !top.queued);
        if is_empty {
            self.since = Since::EmptyWait;
        }
        is_empty
    }

    /// The end of such a wait. False, and nothing done: something has happened in it, or it is another one.
    #[inline(always)]
    pub(in crate::tasks) fn end_empty_wait(&mut self) -> bool {
        if self.since != Since::EmptyWait {
            return false;
        }
        self.since = Since::Other;
        if let Some(task) = self.frames.top() {
            task.suspensions += 1;
        }
        true
    }

    /// Something happens in a wait that had nothing to wait for. It began at the last event, as far as is known.
    #[cold]
    #[inline(never)]
    pub(super) fn fill_wait(&mut self) {
        self.frames.push(Frame { kind: Kind::Suspension, begun: self.mark, ..NOTHING });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{A, B, World};

    #[test]
    fn a_wait_for_nothing_is_counted_and_takes_no_time() {
        let world = World::new(0);
        let mut thread = world.thread();
        assert!(!thread.nesting.begin_empty_wait(), "of no task that is known");
        thread.create(10, 15, A, true, [1, 9]).begin(15, 1).create(17, 18, B, true, [2, 1]).begin(18, 2).end(20, 20);
        assert!(thread.nesting.begin_empty_wait() && thread.nesting.end_empty_wait());
        assert!(!thread.nesting.end_empty_wait());
        thread.end(26, 26);
        assert_eq!(world.times(A, |cell| &cell.suspension), [1, 0, 0, 0]);
        assert_eq!(world.times(A, |cell| &cell.execution), [1, 2 + 6, 8, 8]);
        assert_eq!(world.times(B, |cell| &cell.suspension), [0; 4]);
    }

    #[test]
    fn a_task_that_was_queued_is_waited_for_also_by_the_creator_of_its_creator() {
        let world = World::new(0);
        let mut thread = world.thread();
        thread.create(10, 15, A, true, [1, 9]).begin(15, 1).create(17, 18, A, true, [2, 1]).begin(18, 2);
        assert!(thread.nesting.begin_empty_wait() && thread.nesting.end_empty_wait());
        thread.create(20, 21, B, false, [3, 2]);
        assert!(!thread.nesting.begin_empty_wait());
        thread.end(25, 25);
        assert!(!thread.nesting.begin_empty_wait());
        thread.suspend(26).begin(27, 3);
        assert!(thread.nesting.begin_empty_wait());
    }

    #[test]
    fn a_wait_in_which_something_happens_is_one_like_others() {
        let world = World::new(0);
        let mut thread = world.thread();
        thread.create(10, 15, A, true, [1, 9]).begin(15, 1);
        assert!(thread.nesting.begin_empty_wait());
        thread.begin(20, 7).end(24, 24);
        assert!(!thread.nesting.end_empty_wait());
        thread.resume(25).end(30, 30);
        assert_eq!(world.times(A, |cell| &cell.suspension), [1, 10, 10, 10]);
        assert_eq!(world.times(A, |cell| &cell.execution), [1, 5, 5, 5]);
    }

    #[test]
    fn in_a_region_of_its_own_a_task_may_wait_for_others() {
        let world = World::new(0);
        let mut thread = world.thread();
        thread.create(10, 15, A, true, [1, 9]).begin(15, 1);
        thread.nesting.fork();
        assert!(!thread.nesting.begin_empty_wait());
        thread.nesting.join();
        assert!(thread.nesting.begin_empty_wait());
    }
}
