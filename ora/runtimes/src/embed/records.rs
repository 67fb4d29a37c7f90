//! Stretches and tasks of an embedding runtime, which keeps the record of each in a [`Mark`].

use super::calling_thread::{call, watched};
use super::kinds::stretch_of;
use super::types::Mark;
use ompt_core::adapter;
use ompt_core::dispatch::Token;
use ompt_core::event::{Event, Span};
use ompt_core::explicit_task::Creation;
use ompt_core::packed_state::PackedState;
use ompt_core::state::State;
use ompt_core::task::{Task, flag};
use ompt_core::tls::{self, CallSite};
use std::ffi::c_int;
use std::ptr;

/// Record of something that no tool observes.
const NONE: Mark = Mark { inside: [0; 6] };

/// Begins a stretch of the calling thread's time that is not a wait.
pub(super) fn begin_stretch(kind: c_int) -> Mark {
    let Some((thread, (span, state))) = watched().zip(stretch_of(kind)) else { return NONE };
    let before = state.map(|state| thread.activity.switch_to(state));
    let token = span.map_or(Token::NONE, |span| thread.begin(span));
    Mark { inside: [1, kind.cast_unsigned().into(), token.bits(), before.map_or(0, PackedState::bits), 0, 0] }
}

/// Ends a stretch.
pub(super) fn end_stretch(mark: Mark) {
    let [begun, kind, token, before, ..] = mark.inside;
    let kind = c_int::try_from(kind).ok().filter(|_| begun != 0);
    if let Some((thread, (span, state))) = watched().zip(kind.and_then(stretch_of)) {
        if let Some(span) = span {
            thread.end(span, Token::from_bits(token));
        }
        if state.is_some() {
            thread.activity.resume(PackedState::from_bits(before));
        }
    }
}

/// Begins the creation of a task. `frame` is an address in the creation's stack frame.
pub(super) fn begin_creation(task: Option<&'static Task>, frame: usize, function: usize, code: usize) -> Mark {
    let creation = watched().map(|thread| {
        if let Some(task) = task {
            task.set_flags(flag::EXPLICIT);
            thread.tasks().name(task);
        }
        tls::with_outer_call(code, || thread.tasks().begin_creation(frame))
    });
    let mut inside = creation.map_or([0; 6], Creation::into_words);
    let [.., its_function, its_code] = &mut inside;
    (*its_function, *its_code) = (function as u64, code as u64);
    Mark { inside }
}

/// Ends the creation of a task.
pub(super) fn end_creation(task: &'static Task, immediate: bool, mark: Mark) {
    let Some((thread, creation)) = watched().zip(Creation::from_words(mark.inside)) else { return };
    if immediate {
        task.set_flags(flag::EXPLICIT | flag::UNDEFERRED);
    }
    #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
    let [.., function, code] = mark.inside.map(|word| word as usize);
    if adapter::reports_calls() {
        tls::set_call(CallSite { return_address: code, ..call() });
    }
    thread.tasks().report_new(task, function, false);
    thread.tasks().end_creation(task, immediate, creation);
}

/// Begins the execution of a task.
pub(super) fn begin_task(task: Option<&'static Task>) -> Mark {
    let Some((thread, task)) = watched().zip(task) else { return NONE };
    let (before, now, notified) = thread.tasks().enter(task, tls::call().frame);
    let before = before.map_or(ptr::null(), ptr::from_ref);
    thread.raise(Event::TaskBegin);
    Mark { inside: [1, before.addr() as u64, now.bits(), 0, notified.bits(), 0] }
}

/// Ends the body of a task.
pub(super) fn end_task(mark: &mut Mark) {
    if let Some(thread) = watched().filter(|_| mark.inside[0] != 0) {
        thread.activity.switch_to(State::TaskFinish);
        mark.inside[3] = thread.begin(Span::TASK_FINISH).bits();
    }
}

/// Begins an implicit or initial task; `None` if its record's memory is about to be freed.
pub(super) fn begin_implicit_task(task: Option<&'static Task>, parent: Option<&'static Task>) {
    let Some(thread) = watched() else { return };
    task.inspect(|task| task.set_flags(flag::IMPLICIT));
    if adapter::reports_calls() {
        // OMPT tools identify implicit tasks by their regions.
        thread.tasks().resume_implicit_task();
        return;
    }
    thread.current.switch_task(parent);
    task.inspect(|task| thread.tasks().name(task));
    thread.current.switch_task(task);
}

/// Makes a task the current one again.
pub(super) fn resume_task(task: Option<&'static Task>) {
    let Some(thread) = watched() else { return };
    if adapter::reports_calls() && task.is_none_or(|task| task.flags() & flag::EXPLICIT == 0) {
        thread.tasks().resume_implicit_task();
    } else {
        thread.current.switch_task(task);
    }
}
