//! Events of explicit tasks, as reported to the core. The tasks that a thread has suspended form a stack below its current one.

use super::blocks::{self, Block};
use super::runtime;
use super::runtime::WordAt;
use super::saved_words::{keep, take};
use ompt_core::detail::{Cancelled, Status};
use ompt_core::event::Span;
use ompt_core::state::State;
use ompt_core::task::flag;
use ompt_core::thread::Thread;
use ompt_core::tls::{self, CallSite};
use ompt_core::wait::Wait;
use std::ffi::c_int;
use system::arch::stack_pointer;

/// `ompt_task_initial`, `ompt_task_implicit`: not created by a task, as far as the core is concerned.
const NOT_EXPLICIT: c_int = 3;
/// `ompt_task_target`
const TARGET: c_int = 8;

/// `ompt_task_status_t`
mod status {
    use std::ffi::c_int;
    pub(super) const COMPLETE: c_int = 1;
    pub(super) const CANCEL: c_int = 3;
    pub(super) const DETACH: c_int = 4;
    pub(super) const EARLY_FULFIL: c_int = 5;
    pub(super) const LATE_FULFIL: c_int = 6;
    pub(super) const TASKWAIT_COMPLETE: c_int = 8;
}

/// True if this status is the last event of a task.
pub(super) fn is_over(status: c_int) -> bool {
    matches!(status, status::COMPLETE | status::CANCEL | status::LATE_FULFIL | status::TASKWAIT_COMPLETE)
}

/// Reports that the calling thread's task creates a task.
pub(super) fn create(block: &'static Block, frame: usize, flags: c_int, depends: bool, code: usize) {
    let Some(thread) = tls::get().filter(|_| flags & (NOT_EXPLICIT | TARGET) == 0) else { return };
    tls::set_call(CallSite { return_address: code, frame: if frame == 0 { stack_pointer() } else { frame } });
    let task = &block.task;
    if flags.cast_unsigned() & flag::TASKWAIT != 0 {
        // The task only represents a wait.
        thread.tasks().name(task);
        task.set_flags(flags.cast_unsigned());
        let wait = thread.waits().begin_at(thread.current.no_frame(), Span::DEPEND_WAIT, State::WaitTaskwait, 0);
        return keep(block.wait.each_ref(), wait.into_words());
    }
    let creation = thread.tasks().begin_creation(thread.current.no_frame());
    thread.tasks().name(task);
    task.set_flags(flags.cast_unsigned());
    thread.tasks().report_new(task, runtime::of_program(code), depends);
    thread.tasks().end_creation(task, flags.cast_unsigned() & flag::UNDEFERRED != 0, creation);
}

/// Switches the calling thread from one task to another.
///
/// The state to restore is kept with the task that is suspended meanwhile. An untied task that has yielded may continue on another thread
/// before this thread reports that, and may even end.
pub(super) fn schedule(prior: WordAt<'_>, status: c_int, next: Option<&'static Block>) {
    let Some(thread) = tls::get() else { return };
    let left = prior;
    let prior = blocks::of(prior);
    match status {
        status::EARLY_FULFIL => report(thread, prior, Status::EarlyFulfil),
        status::LATE_FULFIL => report(thread, prior, Status::LateFulfil),
        status::TASKWAIT_COMPLETE => {
            let wait = prior.and_then(|task| take(task.wait.each_ref())).and_then(Wait::from_words);
            wait.into_iter().for_each(|wait| thread.waits().end(wait));
        }
        status::COMPLETE => leave(thread, prior, Status::Complete, next),
        status::CANCEL => leave(thread, prior, Status::Cancel, next),
        status::DETACH => leave(thread, prior, Status::Detach, next),
        _ => switch(thread, left, next),
    }
}

/// Starts or resumes the next task. If the prior task is only suspended, it is untied, and may continue later on any thread.
fn switch(thread: &'static Thread, prior: WordAt<'_>, next: Option<&'static Block>) {
    let Some(next) = next else { return };
    if resume(thread, Status::Switch, next) || !is_explicit(next) {
        return;
    }
    let Some(prior) = blocks::of_or_new(prior) else { return };
    tls::set_call(CallSite { return_address: 0, frame: stack_pointer() });
    let suspended = thread.tasks().begin_fetched(thread.current.no_frame(), &next.task);
    prior.suspended.keep(suspended);
    runtime::keep_frame();
}

/// Ends a task.
fn leave(thread: &'static Thread, task: Option<&'static Block>, status: Status, next: Option<&'static Block>) {
    let Some(task) = task.filter(|task| is_explicit(task)) else { return };
    // For parts of an untied task on one thread, LLVM's runtime reports that the task switches to itself.
    let resumed = next.is_some_and(|next| resume(thread, status, next)) || resume(thread, status, task);
    if !resumed && status == Status::Cancel {
        // It was cancelled before it ran.
        thread.tasks().discard(&task.task, Cancelled::Taskgroup);
    }
}

/// Resumes a task if it was suspended: `status` says how the task that ran meanwhile ended.
fn resume(thread: &'static Thread, status: Status, task: &'static Block) -> bool {
    task.suspended.take().is_some_and(|suspended| {
        thread.tasks().end_as(status, suspended);
        true
    })
}

fn report(thread: &'static Thread, task: Option<&'static Block>, status: Status) {
    if let Some(task) = task.filter(|task| is_explicit(task)) {
        thread.tasks().fulfil(&task.task, status);
    }
}

/// True if the core has a record of the task.
fn is_explicit(block: &Block) -> bool {
    block.task.flags() & flag::EXPLICIT != 0
}
