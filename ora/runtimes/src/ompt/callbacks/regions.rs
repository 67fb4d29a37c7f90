//! Regions, their implicit tasks, and the work that these share (OpenMP 5.0, 4.5.2.3 to 4.5.2.6, 4.5.2.11, 4.5.2.12).
#![allow(unsafe_code)] // functions that runtimes call, and that call tools

use super::{BEGIN, END, Word, note_call, word_of};
use crate::ompt::tools::reports_to_core;
use crate::ompt::{blocks, regions, work};
use ompt_core::frame::Frame;
use ompt_core::v5::types::ompt_callbacks_t::*;
use std::ffi::c_int;

pub(super) unsafe extern "C-unwind" fn begin(
    task: *const Word,
    frame: *const Frame,
    parallel: *const Word,
    requested: u32,
    flags: c_int,
    code: usize,
) {
    let block = blocks::of_or_new(parallel);
    block.into_iter().for_each(blocks::begin_region);
    if reports_to_core()
        && let Some(block) = block
    {
        // SAFETY: `encountering_task_frame` (OpenMP 5.0, 4.5.2.3): null, or the runtime's `ompt_frame_t`, there during the
        // callback.
        let frame = unsafe { frame.as_ref() }.map_or(0, Frame::enter);
        regions::begin(block, frame, requested, flags, code);
    }
    invoke!(ompt_callback_parallel_begin, fn(*const Word, *const Frame, *const Word, u32, c_int, usize), |tool| (
        word_of(tool, task),
        frame,
        word_of(tool, parallel),
        requested,
        flags,
        code
    ));
}

pub(super) unsafe extern "C-unwind" fn end(parallel: *const Word, task: *const Word, flags: c_int, code: usize) {
    invoke!(ompt_callback_parallel_end, fn(*const Word, *const Word, c_int, usize), |tool| (
        word_of(tool, parallel),
        word_of(tool, task),
        flags,
        code
    ));
    if reports_to_core()
        && let Some(block) = blocks::of(parallel)
    {
        regions::end(block, flags);
    }
    blocks::end_region();
}

pub(super) unsafe extern "C-unwind" fn implicit_task(
    endpoint: c_int,
    parallel: *const Word,
    task: *const Word,
    size: u32,
    index: u32,
    flags: c_int,
) {
    let core = reports_to_core();
    if endpoint == BEGIN {
        let (region, block) = (blocks::of_or_new(parallel), blocks::of_or_new(task));
        if core {
            regions::begin_task(region, block, size, index, flags);
        }
    }
    invoke!(ompt_callback_implicit_task, fn(c_int, *const Word, *const Word, u32, u32, c_int), |tool| (
        endpoint,
        word_of(tool, parallel),
        word_of(tool, task),
        size,
        index,
        flags
    ));
    if endpoint == END {
        if core {
            regions::end_task(blocks::of(task));
        }
        blocks::free(task);
        if flags & INITIAL != 0 {
            blocks::free_implicit(parallel);
        }
    }
}

/// `ompt_task_initial`
const INITIAL: c_int = 1;

pub(super) unsafe extern "C-unwind" fn work(
    kind: c_int,
    endpoint: c_int,
    parallel: *const Word,
    task: *const Word,
    count: u64,
    code: usize,
) {
    let core = reports_to_core();
    if core && endpoint != END {
        note_call(code);
        work::begin(kind, count);
    }
    invoke!(ompt_callback_work, fn(c_int, c_int, *const Word, *const Word, u64, usize), |tool| (
        kind,
        endpoint,
        word_of(tool, parallel),
        word_of(tool, task),
        count,
        code
    ));
    if core && endpoint != BEGIN {
        note_call(code);
        work::end(kind, count);
    }
}

pub(super) unsafe extern "C-unwind" fn dispatch(parallel: *const Word, task: *const Word, kind: c_int, instance: u64) {
    invoke!(ompt_callback_dispatch, fn(*const Word, *const Word, c_int, u64), |tool| (
        word_of(tool, parallel),
        word_of(tool, task),
        kind,
        instance
    ));
}

pub(super) unsafe extern "C-unwind" fn masked(endpoint: c_int, parallel: *const Word, task: *const Word, code: usize) {
    let block = if reports_to_core() { blocks::of_or_new(task) } else { None };
    if endpoint == BEGIN {
        block.into_iter().for_each(work::begin_masked);
    }
    invoke!(ompt_callback_masked, fn(c_int, *const Word, *const Word, usize), |tool| (
        endpoint,
        word_of(tool, parallel),
        word_of(tool, task),
        code
    ));
    if endpoint == END {
        block.into_iter().for_each(work::end_masked);
    }
}
