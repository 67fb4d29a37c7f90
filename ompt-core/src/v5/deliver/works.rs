//! Events of work-sharing regions and the shares dispatched in them; masked regions (OpenMP 5.0, 4.5.2.5, 4.5.2.6,
//! 4.5.2.12; kinds of loops and chunks as in 5.2).
#![allow(unsafe_code)] // calls the tool

use super::context::{End, EventContext};
use crate::detail::Work;
use crate::v5::callbacks;
use crate::v5::release::{self, V5_1, V5_2};
use crate::v5::types::ompt_dispatch_t::*;
use crate::v5::types::ompt_work_t::{self, *};
use crate::v5::types::{ompt_data_t, ompt_dispatch_chunk_t};
use std::ffi::c_void;
use std::ptr;

#[inline(always)]
pub(super) fn work(context: EventContext, end: End, kind: Work, count: u64) -> Option<impl FnOnce()> {
    let kind = match kind {
        kind if kind.is_loop() && release::is_before(V5_2) => ompt_work_loop,
        Work::Scope if release::is_before(V5_1) => return None,
        Work::Loop => ompt_work_loop,
        Work::LoopStatic => ompt_work_loop_static,
        Work::LoopDynamic => ompt_work_loop_dynamic,
        Work::LoopGuided => ompt_work_loop_guided,
        Work::Sections => ompt_work_sections,
        Work::SingleOther => ompt_work_single_other,
        Work::Scope => ompt_work_scope,
        Work::Taskloop => ompt_work_taskloop,
        Work::Distribute => ompt_work_distribute,
    };
    report(context, end, kind, count)
}

/// Reports the start or end of a single region on the thread that executes it.
#[inline(always)]
pub(super) fn single(context: EventContext, end: End) -> Option<impl FnOnce()> {
    report(context, end, ompt_work_single_executor, 1)
}

#[inline(always)]
fn report(context: EventContext, end: End, kind: ompt_work_t, count: u64) -> Option<impl FnOnce()> {
    let callback = callbacks::WORK.get()?;
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the words are null or lie in `'static` records
        // (`word`).
        unsafe { callback(kind, end.into(), context.parallel_data(), context.task_data(), count, context.code()) };
    })
}

#[inline(always)]
pub(super) fn masked(context: EventContext, end: End) -> Option<impl FnOnce()> {
    let callback = callbacks::MASKED.get()?;
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); the words are null or lie in `'static` records
        // (`word`).
        unsafe { callback(end.into(), context.parallel_data(), context.task_data(), context.code()) };
    })
}

/// Reports a share: a chunk of a loop (5.2), or one section of a sections construct. Compiled code passes a section's
/// number to the runtime, not its address. So the instance is the construct's code address plus the number, in bytes,
/// and differs for each section.
#[inline(always)]
pub(super) fn dispatch(context: EventContext, kind: Work, first: u64, iterations: u64) -> Option<impl FnOnce()> {
    let callback = callbacks::DISPATCH.get()?;
    if !matches!(kind, Work::Sections) && release::is_before(V5_2) {
        return None;
    }
    Some(move || {
        let mut chunk = ompt_dispatch_chunk_t { start: first, iterations };
        let (kind, of) = match kind {
            Work::Sections => (ompt_dispatch_section, section(context, first)),
            Work::Taskloop => (ompt_dispatch_taskloop_chunk, ptr::from_mut(&mut chunk).cast()),
            _ => (ompt_dispatch_ws_loop_chunk, ptr::from_mut(&mut chunk).cast()),
        };
        // SAFETY: the callback has this signature (`Kind::get`); the words are null or lie in `'static` records, and
        // `chunk` is valid during the call.
        unsafe { callback(context.parallel_data(), context.task_data(), kind, ompt_data_t { ptr: of }) };
    })
}

/// The instance of the section with that number, counted from 1.
#[inline(always)]
fn section(context: EventContext, number: u64) -> *mut c_void {
    #[allow(clippy::cast_possible_truncation)] // sections are counted by an unsigned int
    context.code().cast_mut().wrapping_byte_add(number.saturating_sub(1) as usize)
}
