//! Events of explicit tasks: creation, scheduling, dependences, cancellation (OpenMP 5.0, 4.5.2.7, 4.5.2.8, 4.5.2.9,
//! 4.5.2.10, 4.5.2.18).
#![allow(unsafe_code)] // calls the tool

use super::context::{EventContext, frame, word};
use crate::detail::{CancelAct, Cancelled, Dependence, DependenceKind, Status};
use crate::task::{Task, flag};
use crate::v5::callbacks;
use crate::v5::release::{self, V5_1};
use crate::v5::types::ompt_cancel_flag_t::*;
use crate::v5::types::ompt_dependence_t;
use crate::v5::types::ompt_dependence_type_t::*;
use crate::v5::types::ompt_task_status_t::{self, *};
use std::ffi::c_int;
use std::mem::offset_of;
use std::ptr::null_mut;

/// True for a taskwait that is treated as a task, if the tool gets a release of OpenMP that doesn't do so.
#[inline(always)]
fn is_later(task: &Task) -> bool {
    task.flags() & flag::TASKWAIT != 0 && release::is_before(V5_1)
}

#[inline(always)]
pub(super) fn create(context: EventContext, task: &'static Task, depends: bool) -> Option<impl FnOnce()> {
    let callback = callbacks::TASK_CREATE.get()?;
    if is_later(task) {
        return None;
    }
    let (creator, flags) = (context.task(), task.flags().cast_signed());
    let (frame, data) = (frame(creator), word(task.data()));
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the words and the frame lie in `'static` records of
        // tasks.
        unsafe { callback(word(creator.data()), frame, data, flags, c_int::from(depends), context.code()) };
    })
}

#[inline(always)]
pub(super) fn schedule(prior: &'static Task, status: Status, next: &'static Task) -> Option<impl FnOnce()> {
    let callback = callbacks::TASK_SCHEDULE.get()?;
    if is_later(prior) {
        return None;
    }
    let (status, follows) = status_of(status);
    let next = if follows { word(next.data()) } else { null_mut() };
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the words are null or lie in `'static` records of
        // tasks.
        unsafe { callback(word(prior.data()), status, next) };
    })
}

/// The status as passed to the tool; true if the thread switches to another task.
const fn status_of(status: Status) -> (ompt_task_status_t, bool) {
    match status {
        Status::Complete => (ompt_task_complete, true),
        Status::Cancel => (ompt_task_cancel, true),
        Status::Switch => (ompt_task_switch, true),
        Status::Detach => (ompt_task_detach, true),
        // A thread that fulfils an event, or has waited for dependences, stays with its task.
        Status::EarlyFulfil => (ompt_task_early_fulfill, false),
        Status::LateFulfil => (ompt_task_late_fulfill, false),
        Status::TaskwaitComplete => (ompt_taskwait_complete, false),
    }
}

// The tool reads the core's own list.
const _: () = assert!(size_of::<Dependence>() == size_of::<ompt_dependence_t>());
const _: () = assert!(offset_of!(Dependence, variable) == offset_of!(ompt_dependence_t, variable));
const _: () = assert!(offset_of!(Dependence, kind) == offset_of!(ompt_dependence_t, dependence_type));
const _: () = {
    use DependenceKind::*;
    assert!(In as u32 == ompt_dependence_type_in as u32 && Out as u32 == ompt_dependence_type_out as u32);
    assert!(Inout as u32 == ompt_dependence_type_inout as u32);
    assert!(Mutexinoutset as u32 == ompt_dependence_type_mutexinoutset as u32);
    assert!(Source as u32 == ompt_dependence_type_source as u32 && Sink as u32 == ompt_dependence_type_sink as u32);
    assert!(Inoutset as u32 == ompt_dependence_type_inoutset as u32);
};

#[inline(always)]
pub(super) fn dependences(task: &'static Task, list: &[Dependence]) -> Option<impl FnOnce()> {
    let callback = callbacks::DEPENDENCES.get()?;
    if is_later(task) {
        return None;
    }
    let count = c_int::try_from(list.len()).unwrap_or(c_int::MAX);
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the list is laid out as the standard says (checked
        // above), and valid during the call.
        unsafe { callback(word(task.data()), list.as_ptr().cast(), count) };
    })
}

pub(super) fn dependence(first: &'static Task, second: &'static Task) -> Option<impl FnOnce()> {
    let callback = callbacks::TASK_DEPENDENCE.get()?;
    if is_later(first) || is_later(second) {
        return None;
    }
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the words lie in `'static` records of tasks.
        unsafe { callback(word(first.data()), word(second.data())) };
    })
}

#[inline(always)]
pub(super) fn cancel(context: EventContext, construct: Cancelled, act: CancelAct) -> Option<impl FnOnce()> {
    let callback = callbacks::CANCEL.get()?;
    let construct = match construct {
        Cancelled::Parallel => ompt_cancel_parallel,
        Cancelled::Sections => ompt_cancel_sections,
        Cancelled::Loop => ompt_cancel_loop,
        Cancelled::Taskgroup => ompt_cancel_taskgroup,
    };
    let act = match act {
        CancelAct::Activated => ompt_cancel_activated,
        CancelAct::Detected => ompt_cancel_detected,
        CancelAct::DiscardedTask => ompt_cancel_discarded_task,
    };
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the word lies in a `'static` record of a task.
        unsafe { callback(context.task_data(), construct.bits() | act.bits(), context.code()) };
    })
}
