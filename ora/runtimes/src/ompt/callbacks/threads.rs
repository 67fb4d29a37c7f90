//! Threads, and events of a thread without a region or task (OpenMP 5.0, 4.5.2.1, 4.5.2.2, 4.5.2.17, 4.5.2.29).
#![allow(unsafe_code)] // functions that runtimes call, and that call tools

use super::{Word, nothing};
use crate::ompt::runtime::Function;
use crate::ompt::tools::{self, each, reports_to_core};
use crate::ompt::{threads, tool_thread_words};
use ompt_core::v5::types::ompt_callbacks_t::*;
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;

/// Address of a tool's word for the calling thread: the runtime's own word for the first tool.
fn word_of(tool: usize, word: *const Word) -> *const Word {
    if tool == 0 { word } else { tool_thread_words::of(tool).unwrap_or(nothing()) }
}

pub(super) unsafe extern "C-unwind" fn begin(kind: c_int, thread: *const Word) {
    if reports_to_core() {
        threads::begin(kind);
    }
    tool_thread_words::forget();
    invoke!(ompt_callback_thread_begin, fn(c_int, *const Word), |tool| (kind, word_of(tool, thread)));
}

pub(super) unsafe extern "C-unwind" fn end(thread: *const Word) {
    // The adapter's own end of the thread may have come first: then our words are gone, and no new ones are made.
    let word_of = |tool| if tool == 0 { thread } else { tool_thread_words::known(tool).unwrap_or(nothing()) };
    invoke!(ompt_callback_thread_end, fn(*const Word), |tool| (word_of(tool)));
    if reports_to_core() {
        threads::end();
    }
}

pub(super) unsafe extern "C-unwind" fn flush(thread: *const Word, code: usize) {
    invoke!(ompt_callback_flush, fn(*const Word, usize), |tool| (word_of(tool, thread), code));
}

/// Returns the first tool's result to the program; without a tool, the result of a runtime that has found none.
pub(super) unsafe extern "C-unwind" fn control_tool(
    command: u64,
    modifier: u64,
    argument: *mut c_void,
    code: usize,
) -> c_int {
    const NO_TOOL: c_int = -2;
    const NO_CALLBACK: c_int = -1;
    let mut answer = None;
    each::<{ ompt_callback_control_tool as usize }>(|_, callback| {
        type Call = unsafe extern "C-unwind" fn(u64, u64, *mut c_void, usize) -> c_int;
        // SAFETY: the tool registered it for this event, so it has this type (OpenMP 5.0, 4.5.2.29).
        let callback = unsafe { transmute::<Function, Call>(callback) };
        // SAFETY: the runtime passed these arguments for this event, from the program's call of `omp_control_tool`.
        let its = unsafe { callback(command, modifier, argument, code) };
        answer = answer.or(Some(its));
    });
    answer.unwrap_or(if tools::are_there() { NO_CALLBACK } else { NO_TOOL })
}

pub(super) unsafe extern "C-unwind" fn error(severity: c_int, message: *const c_char, length: usize, code: usize) {
    invoke!(ompt_callback_error, fn(c_int, *const c_char, usize, usize), |_| (severity, message, length, code));
}
