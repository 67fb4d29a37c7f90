//! The frame of the current task while it is in a call of the runtime (`enter_frame`; OpenMP 5.0, 4.4.4.27).

use super::Thread;
use crate::call_site::Call;

impl Thread {
    /// Marks the current task as inside of this call of the runtime. Only for calls that do more than look something
    /// up.
    #[inline(always)]
    pub fn enter_runtime(&self, call: Call) {
        if call.frame != 0
            && let Some(task) = self.current_task()
        {
            task.frame.set_enter(call.frame);
        }
    }

    /// Marks the call as about to return. Events until then report the same call.
    #[inline(always)]
    pub fn leave_runtime(&self, call: Call) {
        if call.frame != 0
            && let Some(task) = self.current_task()
        {
            task.frame.set_enter(0);
        }
    }

    /// Runs `report` with that call as the current task's, which may be in an earlier call already: callbacks make
    /// calls, too.
    pub fn in_runtime(&self, call: Call, report: impl FnOnce()) {
        let task = self.current_task();
        let before = task.map_or(0, |task| task.frame.enter());
        self.enter_runtime(call);
        report();
        if let Some(task) = task {
            task.frame.set_enter(before);
        }
    }
}
