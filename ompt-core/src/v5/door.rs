//! How runtimes that call a tool come to this library. The exported `ompt_start_tool` is in a crate that nothing refers to;
//! what it does is here.
#![allow(unsafe_code)] // a C string of a caller's

use super::types::ompt_start_tool_result_t;
use crate::about::About;
use std::ffi::{CStr, c_char, c_uint};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering::*};

/// What a runtime is answered: null, or what a tool's `ompt_start_tool` returns.
pub type Answer = fn(&About) -> *const ompt_start_tool_result_t;

static ANSWER: OnceLock<Answer> = OnceLock::new();
/// While a tool is being asked, by us: the name of the runtime that it is told; else null.
static ASKING: AtomicPtr<c_char> = AtomicPtr::new(null_mut());

/// Says what runtimes are answered. To be called while the library is being loaded.
pub fn open(answer: Answer) {
    let _ = ANSWER.set(answer);
}

/// A runtime asks for its tool (OpenMP 5.0, 4.2.1). A tool that asks for the next one, by the name that it was told, and finds us is
/// answered that there is none.
///
/// # Safety
/// `runtime` is a C string that stays.
pub unsafe extern "C-unwind" fn ask(openmp: c_uint, runtime: *const c_char) -> *const ompt_start_tool_result_t {
    if runtime.is_null() {
        return null();
    }
    // SAFETY: not null, so a C string that stays, by this function's `# Safety`.
    let runtime = unsafe { CStr::from_ptr(runtime) };
    // Acquire: pairs with the first store in `asking`; publishes the bytes of the name.
    let asking = ASKING.load(Acquire);
    // SAFETY: not null, so `asking` stored it, from a `&'static CStr`.
    if !asking.is_null() && unsafe { CStr::from_ptr(asking) } == runtime {
        return null();
    }
    ANSWER.get().map_or(null(), |answer| answer(&About { runtime, openmp }))
}

/// Whether a tool is being asked: a runtime that asks meanwhile was brought by that tool.
pub(super) fn is_asking() -> bool {
    // Acquire: pairs with the stores in `asking`; only null or not is read here.
    !ASKING.load(Acquire).is_null()
}

/// Runs `work`, which asks a tool for the runtime of this name.
pub(super) fn asking<R>(runtime: &'static CStr, work: impl FnOnce() -> R) -> R {
    // Release: pairs with the loads in `ask` and `is_asking`; publishes the bytes of the name.
    ASKING.store(runtime.as_ptr().cast_mut(), Release);
    let done = work();
    // Release: pairs with the loads in `ask` and `is_asking`; publishes that `work` is over.
    ASKING.store(null_mut(), Release);
    done
}
