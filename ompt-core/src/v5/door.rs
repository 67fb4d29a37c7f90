//! How runtimes that call a tool come to this library. The exported `ompt_start_tool` is in a crate that nothing refers to;
//! what it does is here.
#![allow(unsafe_code)] // a C string of a caller's

use super::types::ompt_start_tool_result_t;
use crate::about::About;
use std::ffi::{CStr, c_char, c_uint};
use std::ptr::null;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::*};

/// What a runtime is answered: null, or what a tool's `ompt_start_tool` returns.
pub type Answer = fn(&About) -> *const ompt_start_tool_result_t;

static ANSWER: OnceLock<Answer> = OnceLock::new();
/// Whether a tool is being asked, by us.
static ASKING: AtomicBool = AtomicBool::new(false);

/// Says what runtimes are answered. To be called while the library is being loaded.
pub fn open(answer: Answer) {
    let _ = ANSWER.set(answer);
}

/// A runtime asks for its tool (OpenMP 5.0, 4.2.1). A tool that asks for the next one and finds us is told that there is none.
///
/// # Safety
/// `runtime` is a C string that stays.
pub unsafe extern "C-unwind" fn ask(openmp: c_uint, runtime: *const c_char) -> *const ompt_start_tool_result_t {
    if ASKING.load(Acquire) || runtime.is_null() {
        return null();
    }
    // SAFETY: the caller's promise.
    let runtime = unsafe { CStr::from_ptr(runtime) };
    ANSWER.get().map_or(null(), |answer| answer(&About { runtime, openmp }))
}

/// Runs `work`, which asks a tool.
pub(super) fn asking<R>(work: impl FnOnce() -> R) -> R {
    ASKING.store(true, Release);
    let done = work();
    ASKING.store(false, Release);
    done
}
