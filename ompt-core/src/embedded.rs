//! Members and tasks of a runtime that embeds ora and reports itself, as OMPT tools see them. It has its own records of
//! tasks, and reports identity and activity of a thread in different calls.

use crate::detail::Status;
use crate::dispatch::Token;
use crate::explicit_task::Tasks;
use crate::packed_state::PackedState;
use crate::region::Region;
use crate::state::State;
use crate::task::Task;
use crate::thread::Thread;

impl Region {
    /// The next number in the region's team that no other member has; 0 for the primary thread.
    pub fn next_number(&self, member: &'static Thread) -> u32 {
        if self.is_primary(member) { 0 } else { self.count_member() }
    }
}

impl Tasks {
    /// Begins the execution of an explicit task on this, the calling thread, called from the frame at that address (0:
    /// calls are not reported). Returns the task before it, the thread's packed state at that time, and the sessions
    /// that were notified of the wait which the task interrupts.
    pub fn enter(self, task: &'static Task, frame: usize) -> (Option<&'static Task>, PackedState, Token) {
        let thread = self.thread;
        let now = thread.activity.now();
        let before = thread.current.switch_task(Some(task));
        self.place(task, frame, before);
        thread.activity.set_state(State::WorkParallel);
        (before, now, self.report_start(before, now, task))
    }

    /// Ends the task: it is complete. Restores the state that [`enter`](Self::enter) returned.
    pub fn leave(self, before: Option<&'static Task>, now: PackedState, notified: Token) {
        self.report_end_of_body(Status::Complete, before, now, notified);
        self.thread.activity.resume(now);
        self.thread.current.switch_task(before);
    }

    /// Makes the implicit or initial task current again.
    pub fn resume_implicit_task(self) {
        self.thread.current.switch_task(Some(&self.thread.task().task));
    }
}
