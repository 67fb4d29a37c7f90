//! The exported symbols of the faces.
#![allow(unsafe_code)] // the door: a C caller's pointer

use crate::request;
use crate::wire::Entries;
use std::ffi::{c_int, c_void};

/// The Sun Collector API (white paper, "The Collector/OpenMP Runtime API"). Returns 0, also where entries carry errors, or
/// -1 where the array is malformed.
///
/// Async-signal-safe for STATE, CURRENT_PRID, PARENT_PRID, TASK_ID and TASK_PID.
///
/// # Safety
/// `arg` is null, or points to entries of `sz` bytes each, ended by an `int` 0, that nobody else touches meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn __omp_collector_api(arg: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    let entries = unsafe { Entries::new(arg) };
    c_int::from(entries.is_ok_and(request::serve)) - 1
}
