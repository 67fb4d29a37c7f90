//! Explicit tasks (OpenMP 5.0, 4.5.2.7 to 4.5.2.10, 4.5.2.18).
#![allow(unsafe_code)] // calls tools

use super::{Word, word_of};
use crate::ompt::tools::{each, tells_core};
use crate::ompt::{blocks, tasks};
use ompt_core::frame::Frame;
use ompt_core::v5::types::ompt_callbacks_t::*;
use std::ffi::{c_int, c_void};
use std::mem::transmute;

pub(super) unsafe extern "C-unwind" fn create(
    creator: *const Word,
    frame: *const Frame,
    task: *const Word,
    flags: c_int,
    depends: c_int,
    code: usize,
) {
    let block = blocks::of_or_new(task);
    if tells_core()
        && let Some(block) = block
    {
        // SAFETY: null, or the frames of the creating task.
        let frame = unsafe { frame.as_ref() }.map_or(0, Frame::enter);
        tasks::create(block, frame, flags, depends != 0, code);
    }
    each::<{ ompt_callback_task_create as usize }>(|tool, callback| {
        type Call = unsafe extern "C-unwind" fn(*const Word, *const Frame, *const Word, c_int, c_int, usize);
        let call = unsafe { transmute::<_, Call>(callback) };
        // SAFETY: the tool's callback for this event, with what the runtime gave, here and below.
        unsafe { call(word_of(tool, creator), frame, word_of(tool, task), flags, depends, code) };
    });
}

pub(super) unsafe extern "C-unwind" fn schedule(prior: *const Word, status: c_int, next: *const Word) {
    each::<{ ompt_callback_task_schedule as usize }>(|tool, callback| {
        type Call = unsafe extern "C-unwind" fn(*const Word, c_int, *const Word);
        // SAFETY: as above.
        unsafe { transmute::<_, Call>(callback)(word_of(tool, prior), status, word_of(tool, next)) };
    });
    if tells_core() {
        tasks::schedule(prior, status, blocks::of_or_new(next));
    }
    if tasks::is_over(status) {
        blocks::free(prior);
    }
}

pub(super) unsafe extern "C-unwind" fn dependences(task: *const Word, list: *const c_void, count: c_int) {
    each::<{ ompt_callback_dependences as usize }>(|tool, callback| {
        type Call = unsafe extern "C-unwind" fn(*const Word, *const c_void, c_int);
        // SAFETY: as above.
        unsafe { transmute::<_, Call>(callback)(word_of(tool, task), list, count) };
    });
}

pub(super) unsafe extern "C-unwind" fn dependence(source: *const Word, sink: *const Word) {
    each::<{ ompt_callback_task_dependence as usize }>(|tool, callback| {
        type Call = unsafe extern "C-unwind" fn(*const Word, *const Word);
        // SAFETY: as above.
        unsafe { transmute::<_, Call>(callback)(word_of(tool, source), word_of(tool, sink)) };
    });
}

pub(super) unsafe extern "C-unwind" fn cancel(task: *const Word, flags: c_int, code: usize) {
    each::<{ ompt_callback_cancel as usize }>(|tool, callback| {
        type Call = unsafe extern "C-unwind" fn(*const Word, c_int, usize);
        // SAFETY: as above.
        unsafe { transmute::<_, Call>(callback)(word_of(tool, task), flags, code) };
    });
}
