//! The region and the task that a thread executes, and the stack frames in which they were entered.

use crate::call_site::CallSite;
use crate::implicit_task::ImplicitTask;
use crate::region::Region;
use crate::task::Task;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use system::memory::Link;

/// A thread's current region and task.
#[repr(C)]
pub struct Current {
    region: Link<Region>,
    /// Stack address of the innermost frame in which a region or wait was entered; `usize::MAX`: none.
    depth: AtomicUsize,
    /// The implicit task that the thread executes.
    implicit_task: Link<ImplicitTask>,
    /// The task that the thread executes, if its adapter tracks tasks.
    task: Link<Task>,
    /// Stack address of the frame that executes that task, if it is an explicit one; otherwise `usize::MAX`.
    task_stack: AtomicUsize,
    /// Word of the adapter for the task creation that the thread is in.
    creating: AtomicUsize,
}

system::zeroed!(Current { region, depth, implicit_task, task, task_stack, creating });

impl Current {
    /// Reinitialises the record for another thread, which executes this implicit task, and this task if its adapter
    /// tracks tasks.
    pub(super) fn renew(&self, implicit_task: &'static ImplicitTask, task: Option<&'static Task>) {
        self.region.set(None);
        self.depth.store(usize::MAX, Relaxed);
        self.implicit_task.set(Some(implicit_task));
        self.task_stack.store(usize::MAX, Relaxed);
        self.creating.store(0, Relaxed);
        self.task.set(task);
    }

    /// The innermost region that the thread has entered.
    #[inline]
    pub fn region(&self) -> Option<&'static Region> {
        self.region.get()
    }

    #[inline]
    pub(crate) fn set_region(&self, region: Option<&'static Region>) {
        self.region.set(region);
    }

    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.depth.load(Relaxed)
    }

    #[inline]
    pub(crate) fn set_depth(&self, depth: usize) {
        self.depth.store(depth, Relaxed);
    }

    /// True if the thread's innermost known frame, of a region, wait or creation, has this stack address.
    #[inline(always)]
    pub fn is_at(&self, stack: usize) -> bool {
        self.depth() == stack
    }

    /// A frame address for a construct that begins in one callback and ends in another, and so has no frame of its own:
    /// just inside the innermost known frame, and gone when that is.
    #[inline(always)]
    pub fn no_frame(&self) -> usize {
        self.depth().wrapping_sub(1)
    }

    /// The implicit task; if there is none, [`Thread::task`](super::Thread::task) returns the thread's own one.
    #[inline]
    pub(super) fn implicit_task(&self) -> Option<&'static ImplicitTask> {
        self.implicit_task.get()
    }

    #[inline]
    pub(crate) fn set_implicit_task(&self, task: &'static ImplicitTask) {
        self.implicit_task.set(Some(task));
    }

    /// The task that this, the calling thread, executes, if its adapter tracks tasks.
    #[inline(always)]
    pub fn task(&self) -> Option<&'static Task> {
        self.task.get()
    }

    #[inline]
    pub(crate) fn set_task(&self, task: Option<&'static Task>) {
        self.task.set(task);
    }

    /// Makes the task the thread's current one, and returns the previous one.
    #[inline]
    pub fn switch_task(&self, task: Option<&'static Task>) -> Option<&'static Task> {
        let before = self.task();
        self.set_task(task);
        before
    }

    #[inline]
    pub(crate) fn task_stack(&self) -> usize {
        self.task_stack.load(Relaxed)
    }

    #[inline]
    pub(crate) fn set_task_stack(&self, stack: usize) {
        self.task_stack.store(stack, Relaxed);
    }

    /// A word of the adapter for the task creation that this, the calling thread, is in. 0: none, also after an
    /// exception or longjmp out of it.
    #[inline]
    pub fn creating(&self) -> usize {
        self.creating.load(Relaxed)
    }

    /// Sets the adapter's word for the task creation that this, the calling thread, is in.
    #[inline]
    pub fn set_creating(&self, word: usize) {
        self.creating.store(word, Relaxed);
    }

    /// Takes that word: the thread has left the creation.
    #[inline]
    pub fn take_creating(&self) -> usize {
        self.creating.swap(0, Relaxed)
    }

    /// Marks the current task as inside this call of the runtime (`enter_frame`; OpenMP 5.0, 4.4.4.27). Only for calls
    /// that do more than look something up.
    #[inline(always)]
    pub fn enter_runtime(&self, call: CallSite) {
        if call.frame != 0
            && let Some(task) = self.task()
        {
            task.frame.set_enter(call.frame);
        }
    }

    /// Marks the call as about to return. Events until the next call still report this one.
    #[inline(always)]
    pub fn leave_runtime(&self, call: CallSite) {
        if call.frame != 0
            && let Some(task) = self.task()
        {
            task.frame.set_enter(0);
        }
    }

    /// Runs `report` with that call as the current task's. The task may already be in an earlier call, since callbacks
    /// also make calls.
    pub fn in_runtime(&self, call: CallSite, report: impl FnOnce()) {
        let task = self.task();
        let before = task.map_or(0, |task| task.frame.enter());
        self.enter_runtime(call);
        report();
        if let Some(task) = task {
            task.frame.set_enter(before);
        }
    }
}
