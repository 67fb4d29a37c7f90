//! FFI boundary to runtimes that call a tool. The exported `ompt_start_tool` is in a crate that nothing refers to; its
//! implementation is here.
#![allow(unsafe_code)] // a C string of a caller's

use super::types::ompt_start_tool_result_t;
use crate::runtime_info::RuntimeInfo;
use std::ffi::{CStr, c_char, c_uint};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering::*};

/// The function that answers a runtime: null, or the result of a tool's `ompt_start_tool`.
pub type Answer = fn(&RuntimeInfo) -> *const ompt_start_tool_result_t;

static ANSWER: OnceLock<Answer> = OnceLock::new();
/// The name of the runtime for which this library is asking a tool; otherwise null.
static ASKING: AtomicPtr<c_char> = AtomicPtr::new(null_mut());

/// Sets the function that answers runtimes. Called while the library is being loaded.
pub fn set_answer(answer: Answer) {
    let _ = ANSWER.set(answer);
}

/// Answers a runtime's call of `ompt_start_tool` (OpenMP 5.0, 4.2.1). A tool that looks for the next one, with the
/// runtime name that it got, and finds this library gets null.
///
/// # Safety
/// `runtime` is a C string that stays valid.
pub unsafe extern "C-unwind" fn ask(openmp: c_uint, runtime: *const c_char) -> *const ompt_start_tool_result_t {
    if runtime.is_null() {
        return null();
    }
    // SAFETY: not null, so a C string that stays valid, by this function's `# Safety`.
    let runtime = unsafe { CStr::from_ptr(runtime) };
    // Acquire: pairs with the first store in `asking`; publishes the bytes of the name.
    let asking = ASKING.load(Acquire);
    // SAFETY: not null, so `asking` stored it, from a `&'static CStr`.
    if !asking.is_null() && unsafe { CStr::from_ptr(asking) } == runtime {
        return null();
    }
    ANSWER.get().map_or(null(), |answer| answer(&RuntimeInfo { runtime, openmp }))
}

/// True while a tool is being asked: a runtime that asks for a tool meanwhile was loaded by that tool.
pub(super) fn is_asking() -> bool {
    // Acquire: pairs with the stores in `asking`; only whether it is null is used here.
    !ASKING.load(Acquire).is_null()
}

/// Runs `work`, which asks a tool on behalf of the runtime of this name.
pub(super) fn asking<R>(runtime: &'static CStr, work: impl FnOnce() -> R) -> R {
    // Release: pairs with the loads in `ask` and `is_asking`; publishes the bytes of the name.
    ASKING.store(runtime.as_ptr().cast_mut(), Release);
    let done = work();
    // Release: pairs with the loads in `ask` and `is_asking`; publishes that `work` is over.
    ASKING.store(null_mut(), Release);
    done
}
