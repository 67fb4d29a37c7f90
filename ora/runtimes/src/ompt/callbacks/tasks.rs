//! Explicit tasks (OpenMP 5.0, 4.5.2.7 to 4.5.2.10, 4.5.2.18).
#![allow(unsafe_code)] // functions that runtimes call, and that call tools

use super::{Word, word_of};
use crate::ompt::tools::reports_to_core;
use crate::ompt::{blocks, tasks};
use ompt_core::frame::Frame;
use ompt_core::v5::types::ompt_callbacks_t::*;
use std::ffi::{c_int, c_void};

pub(super) unsafe extern "C-unwind" fn create(
    creator: *const Word,
    frame: *const Frame,
    task: *const Word,
    flags: c_int,
    depends: c_int,
    code: usize,
) {
    let block = blocks::of_or_new(task);
    if reports_to_core()
        && let Some(block) = block
    {
        // SAFETY: `encountering_task_frame` (OpenMP 5.0, 4.5.2.7): null, or the runtime's `ompt_frame_t`, there during the
        // callback.
        let frame = unsafe { frame.as_ref() }.map_or(0, Frame::enter);
        tasks::create(block, frame, flags, depends != 0, code);
    }
    invoke!(ompt_callback_task_create, fn(*const Word, *const Frame, *const Word, c_int, c_int, usize), |tool| (
        word_of(tool, creator),
        frame,
        word_of(tool, task),
        flags,
        depends,
        code
    ));
}

pub(super) unsafe extern "C-unwind" fn schedule(prior: *const Word, status: c_int, next: *const Word) {
    invoke!(ompt_callback_task_schedule, fn(*const Word, c_int, *const Word), |tool| (
        word_of(tool, prior),
        status,
        word_of(tool, next)
    ));
    if reports_to_core() {
        tasks::schedule(prior, status, blocks::of_or_new(next));
    }
    if tasks::is_over(status) {
        blocks::free_task(prior);
    }
}

pub(super) unsafe extern "C-unwind" fn dependences(task: *const Word, list: *const c_void, count: c_int) {
    invoke!(ompt_callback_dependences, fn(*const Word, *const c_void, c_int), |tool| (
        word_of(tool, task),
        list,
        count
    ));
}

pub(super) unsafe extern "C-unwind" fn dependence(source: *const Word, sink: *const Word) {
    invoke!(ompt_callback_task_dependence, fn(*const Word, *const Word), |tool| (
        word_of(tool, source),
        word_of(tool, sink)
    ));
}

pub(super) unsafe extern "C-unwind" fn cancel(task: *const Word, flags: c_int, code: usize) {
    invoke!(ompt_callback_cancel, fn(*const Word, c_int, usize), |tool| (word_of(tool, task), flags, code));
}
