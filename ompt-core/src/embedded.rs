//! Members and tasks of a runtime that reports itself, as tools of OMPT see them. It has its own records of tasks, and says at different
//! calls who a thread is and what it does.

use crate::detail::Status;
use crate::dispatch::Token;
use crate::now::Now;
use crate::region::Region;
use crate::state::State;
use crate::task::Task;
use crate::thread::Thread;

/// Above the number that a thread will have in its team.
const EXPECTED: u64 = 1 << 32;

impl Region {
    /// A number in the region's team that no member had: 0 for the primary thread.
    pub fn next_number(&self, member: &'static Thread) -> u32 {
        if self.is_primary(member) { 0 } else { self.count_member() }
    }
}

impl Thread {
    /// The thread will have this number in the team that it becomes a member of.
    pub fn expect_number(&'static self, number: u32) {
        self.set_expected(u64::from(number) | EXPECTED);
    }

    /// That number, if there is one; for one team only.
    #[allow(clippy::cast_possible_truncation)] // takes its low half
    pub fn expected_number(&'static self) -> Option<u32> {
        let expected = self.take_expected();
        (expected & EXPECTED != 0).then_some(expected as u32)
    }

    /// This, the calling thread, executes an explicit task from now on, called from that frame; 0: calls are not told. Returns the task
    /// before it, the thread's word then, and who could hear that the wait began which this interrupts.
    pub fn enter_task(&'static self, task: &'static Task, frame: usize) -> (Option<&'static Task>, Now, Token) {
        let now = self.now();
        let before = self.switch_task(Some(task));
        self.place_task(task, frame, before);
        self.set_state(State::WorkParallel);
        (before, now, self.tell_start(before, now, task))
    }

    /// The task is complete, and what [`enter_task`](Self::enter_task) returned is as before.
    pub fn leave_task(&'static self, before: Option<&'static Task>, now: Now, heard: Token) {
        self.tell_end_of_body(Status::Complete, before, now, heard);
        self.resume(now);
        self.switch_task(before);
    }

    /// The implicit or initial task is current again.
    pub fn resume_implicit_task(&'static self) {
        self.switch_task(Some(&self.task().task));
    }
}
