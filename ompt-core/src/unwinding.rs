//! Unwinding without notice (exceptions, `pthread_exit`, longjmp): what was entered in a frame that is gone is dropped
//! at the thread's next entry (architecture, rule 3).
//!
//! The stack grows down, so a frame below the stack pointer is gone. A frame just above it may also be gone, since the
//! function that checks has a frame of its own; then a later entry finds it. A signal handler on an alternate stack
//! proves nothing, nor does a frame of a coroutine, which lies on a stack far away.
//!
//! While a thread waits for a mutex, or is in the thread pool, it executes none of the program's code except callbacks.
//! So any other entry from there means that the wait is over, or that the thread executes a region that is not reported
//! for lack of memory.

use crate::dispatch::is_inside;
use crate::state::State;
use crate::thread::Thread;
use crate::wait::span_of;
use system::stack::on_alternate_stack;

/// Stack pointer above every frame.
pub(crate) const ABOVE_ALL: usize = usize::MAX - 1;
/// Frames that are farther apart, in bytes, are not on one stack.
const MAX_STACK: usize = 1 << 30;

impl Thread {
    /// Drops what was entered in frames that ended without notice. `stack` is the caller's stack pointer.
    #[inline(always)]
    pub(crate) fn drop_stale(&'static self, stack: usize) {
        if self.current.depth() <= stack || self.activity.now().executes_nothing() {
            self.drop_stale_from(stack);
        }
    }

    #[cold]
    fn drop_stale_from(&'static self, stack: usize) {
        let now = self.activity.now();
        let left = now.executes_nothing() && !self.callback.pins().iter().any(is_inside);
        let is_gone = |frame| frame <= stack && (stack - frame <= MAX_STACK || stack == ABOVE_ALL);
        if !is_gone(self.current.depth()) && !left || on_alternate_stack() {
            return;
        }
        if now.is_idle() {
            return self.work_unseen();
        }
        let token = self.open_spans.take_wait();
        if let Some(span) = span_of(now.state()) {
            self.end(span, token);
        }
        self.activity.set_state(if self.activity.region_id() == 0 { State::WorkSerial } else { State::WorkParallel });
        while let Some(region) = self.current.region().filter(|r| r.is_primary(self) && is_gone(r.stack())) {
            self.regions().abandon(region);
        }
        if is_gone(self.current.task_stack()) {
            self.tasks().leave_all();
        }
        self.current.set_creating(0);
        if let Some(task) = self.current.task() {
            task.frame.set_enter(0);
        }
        let outer = self.current.region().filter(|r| r.is_primary(self)).map_or(usize::MAX, |r| r.stack());
        self.current.set_depth(outer.min(self.current.task_stack()));
    }
}
