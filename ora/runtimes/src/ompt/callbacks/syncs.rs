//! Barriers, waits for tasks, and reductions (OpenMP 5.0, 4.5.2.13 to 4.5.2.15).
#![allow(unsafe_code)] // calls tools

use super::{BEGIN, BEGIN_AND_END, END, Word, note_call, word_of};
use crate::ompt::runtime::Function;
use crate::ompt::tools::{each, reports_to_core};
use crate::ompt::{blocks, syncs};
use ompt_core::v5::types::ompt_callbacks_t::*;
use std::ffi::c_int;
use std::mem::transmute;

/// Invokes the tools' callbacks for one of three events, which have the same arguments.
#[inline(always)]
fn invoke<const EVENT: usize>(kind: c_int, endpoint: c_int, parallel: *const Word, task: *const Word, code: usize) {
    type Call = unsafe extern "C-unwind" fn(c_int, c_int, *const Word, *const Word, usize);
    each::<EVENT>(|tool, callback| {
        // SAFETY: the tool registered it for this event; all three have this type (OpenMP 5.0, 4.5.2.13; 5.1 for reductions).
        let callback = unsafe { transmute::<Function, Call>(callback) };
        // SAFETY: the runtime passed these arguments for this event; a word is replaced by the tool's own (`word_of`).
        unsafe { callback(kind, endpoint, word_of(tool, parallel), word_of(tool, task), code) };
    });
}

pub(super) unsafe extern "C-unwind" fn region(
    kind: c_int,
    endpoint: c_int,
    parallel: *const Word,
    task: *const Word,
    code: usize,
) {
    let block = if reports_to_core() { blocks::of_or_new(task) } else { None };
    if endpoint == BEGIN
        && let Some(block) = block
    {
        note_call(code);
        syncs::begin_region(kind, block);
    }
    invoke::<{ ompt_callback_sync_region as usize }>(kind, endpoint, parallel, task, code);
    if endpoint == END
        && let Some(block) = block
    {
        note_call(code);
        syncs::end_region(kind, block);
    }
}

pub(super) unsafe extern "C-unwind" fn wait(
    kind: c_int,
    endpoint: c_int,
    parallel: *const Word,
    task: *const Word,
    code: usize,
) {
    let block = if reports_to_core() { blocks::of_or_new(task) } else { None };
    if endpoint == BEGIN
        && let Some(block) = block
    {
        note_call(code);
        syncs::begin_wait(kind, block, code);
    }
    invoke::<{ ompt_callback_sync_region_wait as usize }>(kind, endpoint, parallel, task, code);
    if endpoint == END
        && let Some(block) = block
    {
        note_call(code);
        syncs::end_wait(block);
    }
}

pub(super) unsafe extern "C-unwind" fn reduction(
    kind: c_int,
    endpoint: c_int,
    parallel: *const Word,
    task: *const Word,
    code: usize,
) {
    let block = if reports_to_core() && endpoint != BEGIN_AND_END { blocks::of_or_new(task) } else { None };
    if let Some(block) = block {
        syncs::reduce(block, endpoint == BEGIN);
    }
    invoke::<{ ompt_callback_reduction as usize }>(kind, endpoint, parallel, task, code);
}
