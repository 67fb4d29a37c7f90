//! The frame of the current task while it is in a call of the runtime (`enter_frame`; OpenMP 5.0, 4.4.4.28).

use super::Thread;
use crate::call::Call;

impl Thread {
    /// The current task has entered the runtime by this call, to do more than to look something up.
    #[inline(always)]
    pub fn enter_runtime(&self, call: Call) {
        if call.frame != 0
            && let Some(task) = self.current_task()
        {
            task.frame.set_enter(call.frame);
        }
    }

    /// That call is about to return; events until then are of the same call.
    #[inline(always)]
    pub fn leave_runtime(&self, call: Call) {
        if call.frame != 0
            && let Some(task) = self.current_task()
        {
            task.frame.set_enter(0);
        }
    }

    /// Reports something in that call of the current task, which may be in an earlier one: a callback calls, too.
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
