//! Members and tasks of a runtime that embeds ora and reports itself, as OMPT tools see them. It has its own records of
//! tasks, and reports identity and activity of a thread in different calls.

use crate::detail::Status;
use crate::dispatch::Token;
use crate::packed_state::PackedState;
use crate::region::Region;
use crate::state::State;
use crate::task::Task;
use crate::thread::Thread;

/// Flag above the number that a thread will have in its team.
const EXPECTED: u64 = 1 << 32;

impl Region {
    /// The next number in the region's team that no member has; 0 for the primary thread.
    pub fn next_number(&self, member: &'static Thread) -> u32 {
        if self.is_primary(member) { 0 } else { self.count_member() }
    }
}

impl Thread {
    /// Announces the number that the thread will have in the team that it joins next.
    pub fn expect_number(&'static self, number: u32) {
        self.set_expected(u64::from(number) | EXPECTED);
    }

    /// The announced number, if there is one. It is consumed: it holds for one team only.
    #[allow(clippy::cast_possible_truncation)] // takes its low half
    pub fn expected_number(&'static self) -> Option<u32> {
        let expected = self.take_expected();
        (expected & EXPECTED != 0).then_some(expected as u32)
    }

    /// Begins the execution of an explicit task on this, the calling thread, called from the frame at that address (0:
    /// calls are not reported). Returns the task before it, the thread's packed state at that time, and the sessions
    /// that were notified of the wait which the task interrupts.
    pub fn enter_task(&'static self, task: &'static Task, frame: usize) -> (Option<&'static Task>, PackedState, Token) {
        let now = self.now();
        let before = self.switch_task(Some(task));
        self.place_task(task, frame, before);
        self.set_state(State::WorkParallel);
        (before, now, self.report_start(before, now, task))
    }

    /// Ends the task: it is complete. Restores the state that [`enter_task`](Self::enter_task) returned.
    pub fn leave_task(&'static self, before: Option<&'static Task>, now: PackedState, notified: Token) {
        self.report_end_of_body(Status::Complete, before, now, notified);
        self.resume(now);
        self.switch_task(before);
    }

    /// Makes the implicit or initial task current again.
    pub fn resume_implicit_task(&'static self) {
        self.switch_task(Some(&self.task().task));
    }
}
