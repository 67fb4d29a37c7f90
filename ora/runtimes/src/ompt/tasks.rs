//! What the core is told of explicit tasks. A task that a thread executes lies on those that it has suspended there.
#![allow(unsafe_code)] // suspended tasks come back as words

use super::blocks::{self, Block, Word};
use super::words::{keep, take};
use super::{regions, runtime};
use ompt_core::detail::Status;
use ompt_core::event::Span;
use ompt_core::explicit_task::Suspended;
use ompt_core::state::State;
use ompt_core::task::flag;
use ompt_core::thread::Thread;
use ompt_core::tls::{self, Call};
use ompt_core::wait::Wait;
use std::ffi::c_int;
use system::arch::stack_pointer;

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
        let wait = thread.begin_wait_at(thread.no_frame(), Span::DEPEND_WAIT, State::WaitTaskwait, 0);
        return keep(block.wait.each_ref(), wait.into_words());
    }
    let creation = thread.begin_creation(thread.no_frame());
    thread.name_task(task);
    task.set_flags(flags.cast_unsigned());
    thread.tell_task(task, runtime::of_program(code), depends);
    thread.end_creation(task, flags.cast_unsigned() & flag::UNDEFERRED != 0, creation);
}

/// The calling thread goes from one task to another.
///
/// What is to be restored is kept with the task that is suspended meanwhile: an untied task that has given way may go on elsewhere
/// before this thread says so, and be over.
pub(super) fn schedule(prior: *const Word, status: c_int, next: Option<&'static Block>) {
    let Some(thread) = tls::get() else { return };
    let left = prior;
    let prior = blocks::of(prior);
    match status {
        status::EARLY_FULFIL => tell(thread, prior, Status::EarlyFulfil),
        status::LATE_FULFIL => tell(thread, prior, Status::LateFulfil),
        status::TASKWAIT_COMPLETE => {
            let wait = prior.and_then(|task| take(task.wait.each_ref())).and_then(Wait::from_words);
            wait.into_iter().for_each(|wait| thread.end_wait(wait));
        }
        status::COMPLETE => leave(thread, prior, Status::Complete, next),
        status::CANCEL => leave(thread, prior, Status::Cancel, next),
        status::DETACH => leave(thread, prior, Status::Detach, next),
        _ => switch(thread, left, next),
    }
}

/// The next task starts, or was suspended while the prior one ran: that is untied, and goes on later, on any thread.
fn switch(thread: &'static Thread, prior: *const Word, next: Option<&'static Block>) {
    let Some(next) = next else { return };
    if resume(thread, Status::Switch, next) || !is_explicit(next) {
        return;
    }
    let Some(prior) = blocks::of_or_new(prior) else { return };
    tls::set_call(Call { return_address: 0, frame: stack_pointer() });
    let suspended = thread.begin_task(thread.no_frame(), &next.task);
    keep(prior.suspended.each_ref(), suspended.into_words());
    regions::keep_frame(thread);
}

/// A task is done.
fn leave(thread: &'static Thread, task: Option<&'static Block>, status: Status, next: Option<&'static Block>) {
    let Some(task) = task.filter(|task| is_explicit(task)) else { return };
    // On one thread LLVM's runtime says of an untied task's parts that the task goes on with itself.
    let resumed = next.is_some_and(|next| resume(thread, status, next)) || resume(thread, status, task);
    if !resumed && status == Status::Cancel {
        // It was dropped before it ran.
        thread.drop_task(&task.task);
    }
}

/// The task goes on that was suspended, if it was: what ran meanwhile has ended so.
fn resume(thread: &'static Thread, status: Status, task: &'static Block) -> bool {
    suspended_by(task).is_some_and(|suspended| {
        thread.end_task_as(status, suspended);
        true
    })
}

/// How the task was suspended, if it was.
fn suspended_by(task: &Block) -> Option<Suspended> {
    // SAFETY: `take` gives only what `switch` kept in this field: the words of `Suspended::into_words`.
    take(task.suspended.each_ref()).and_then(|words| unsafe { Suspended::from_words(words) })
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
