//! What the core is told of explicit tasks. A task that a thread executes lies on those that it has suspended there.
#![allow(unsafe_code)] // suspended tasks come back as words

use super::blocks::Block;
use super::runtime;
use super::words::{keep, take};
use ompt_core::detail::Status;
use ompt_core::explicit_task::Suspended;
use ompt_core::task::flag;
use ompt_core::thread::Thread;
use ompt_core::tls::{self, Call, stack_pointer};
use std::ffi::c_int;
use std::sync::atomic::Ordering::Relaxed;

/// `ompt_task_initial`, `ompt_task_implicit`: created by nobody, as far as the core is concerned.
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

/// Whether nothing more is told of a task of which this is told.
pub(super) fn is_over(status: c_int) -> bool {
    matches!(status, status::COMPLETE | status::CANCEL | status::LATE_FULFIL | status::TASKWAIT_COMPLETE)
}

/// The calling thread's task creates one.
pub(super) fn create(block: &'static Block, frame: usize, flags: c_int, depends: bool, code: usize) {
    let Some(thread) = tls::get().filter(|_| flags & (NOT_EXPLICIT | TARGET) == 0) else { return };
    tls::set_call(Call { return_address: code, frame: if frame == 0 { stack_pointer() } else { frame } });
    let task = &block.task;
    if flags.cast_unsigned() & flag::TASKWAIT != 0 {
        // It only stands for a wait.
        thread.name_task(task);
        task.set_flags(flags.cast_unsigned());
        return;
    }
    let creation = thread.begin_creation(thread.no_frame());
    thread.name_task(task);
    task.set_flags(flags.cast_unsigned());
    thread.tell_task(task, code, depends);
    thread.end_creation(task, flags.cast_unsigned() & flag::UNDEFERRED != 0, creation);
}

/// The calling thread goes from one task to another.
pub(super) fn schedule(prior: Option<&'static Block>, status: c_int, next: Option<&'static Block>) {
    let Some(thread) = tls::get() else { return };
    match status {
        status::EARLY_FULFIL => tell(thread, prior, Status::EarlyFulfil),
        status::LATE_FULFIL => tell(thread, prior, Status::LateFulfil),
        status::TASKWAIT_COMPLETE => {}
        status::COMPLETE => leave(thread, prior, Status::Complete),
        status::CANCEL => leave(thread, prior, Status::Cancel),
        status::DETACH => leave(thread, prior, Status::Detach),
        _ => switch(thread, prior, next),
    }
}

/// The next task starts, or the prior one, which is suspended, lies on it: an untied task goes on later, on any thread.
fn switch(thread: &'static Thread, prior: Option<&'static Block>, next: Option<&'static Block>) {
    let starts = |next: &&Block| is_explicit(next) && !prior.is_some_and(|prior| lies_on(prior, next));
    let Some(next) = next.filter(starts) else { return suspend(thread, prior) };
    if thread.current_task().is_some_and(|current| std::ptr::eq(current, &raw const next.task)) {
        return;
    }
    tls::set_call(Call { return_address: 0, frame: stack_pointer() });
    let suspended = thread.begin_task(thread.no_frame(), &next.task);
    keep(next.suspended.each_ref(), suspended.into_words());
    // SAFETY: the runtime's record of the task that the thread executes; it stays until that is over.
    unsafe { next.task.keep_frame_at(runtime::frame()) };
}

/// Whether the lower task is the one that is suspended while the upper one runs.
fn lies_on(upper: &Block, lower: &Block) -> bool {
    // SAFETY: zeros, or from `switch`.
    let suspended = unsafe { Suspended::from_words(upper.suspended.each_ref().map(|word| word.load(Relaxed))) };
    suspended.is_some_and(|suspended| suspended.is_of(&lower.task))
}

/// A task is done.
fn leave(thread: &'static Thread, task: Option<&'static Block>, status: Status) {
    let Some(task) = task.filter(|task| is_explicit(task)) else { return };
    // SAFETY: zeros, or from `switch`.
    match unsafe { Suspended::from_words(take(task.suspended.each_ref())) } {
        Some(suspended) => thread.end_task_as(status, suspended),
        // It was dropped before it ran.
        None if status == Status::Cancel => thread.drop_task(&task.task),
        None => {}
    }
}

/// A task is suspended for one that lies below it.
fn suspend(thread: &'static Thread, task: Option<&'static Block>) {
    let Some(task) = task.filter(|task| is_explicit(task)) else { return };
    // SAFETY: as above.
    if let Some(suspended) = unsafe { Suspended::from_words(take(task.suspended.each_ref())) } {
        thread.end_task_as(Status::Switch, suspended);
    }
}

fn tell(thread: &'static Thread, task: Option<&'static Block>, status: Status) {
    if let Some(task) = task.filter(|task| is_explicit(task)) {
        thread.fulfil_task(&task.task, status);
    }
}

/// Whether the core knows the task.
fn is_explicit(block: &Block) -> bool {
    block.task.flags() & flag::EXPLICIT != 0
}
