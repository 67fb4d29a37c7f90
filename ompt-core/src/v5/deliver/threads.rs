//! Events of a thread's start and end, and calls of `omp_control_tool` (OpenMP 5.0, 4.5.2.1, 4.5.2.2, 4.5.2.29).
#![allow(unsafe_code)] // calls the tool

use super::context::{EventContext, word};
use crate::v5::callbacks;
use crate::v5::types::ompt_thread_t::*;
use std::cell::Cell;
use std::ptr;

#[inline(always)]
pub(super) fn begin(context: EventContext) -> Option<impl FnOnce()> {
    let callback = callbacks::THREAD_BEGIN.get()?;
    // A thread that the program created also has an initial task.
    let kind = if context.thread.identity.is_worker() { ompt_thread_worker } else { ompt_thread_initial };
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the word lies in the thread's `'static` record.
        unsafe { callback(kind, word(context.thread.identity.data())) };
    })
}

#[inline(always)]
pub(super) fn end(context: EventContext) -> Option<impl FnOnce()> {
    let callback = callbacks::THREAD_END.get()?;
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the word lies in the thread's `'static` record.
        unsafe { callback(word(context.thread.identity.data())) };
    })
}

#[inline(always)]
pub(super) fn control(
    context: EventContext,
    (command, modifier, argument): (u64, u64, usize),
    answer: &Cell<i32>,
) -> Option<impl FnOnce()> {
    let callback = callbacks::CONTROL_TOOL.get()?;
    let argument = ptr::with_exposed_provenance_mut(argument);
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the argument is what the program passed to
        // `omp_control_tool`, and only the tool interprets it (OpenMP 5.0, 4.5.2.29).
        answer.set(unsafe { callback(command, modifier, argument, context.code()) });
    })
}
