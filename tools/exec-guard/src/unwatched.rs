//! The number of executed programs that can't be watched. The collector that is loaded together with the guard keeps the count,
//! so that `ora` doesn't report anything about them that it doesn't know.
#![allow(unsafe_code)] // calls a function that another library may export

use crate::image::Fit;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// `ora_collectors_unwatched`, which adds to the count; null if no loaded collector counts.
static COUNT: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

type Count = extern "C" fn(c_int);

/// Looks up the collector. Must be called while the library is being loaded.
pub(crate) fn find() {
    // SAFETY: a C string; the handle denotes all objects that were loaded with the program.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"ora_collectors_unwatched".as_ptr()) };
    COUNT.store(function, Relaxed);
}

/// Calls `execute`, and counts the program unless that fails. A program that can't be read is not counted, as it may
/// not exist.
pub(crate) fn counted(fit: Fit, execute: impl FnOnce() -> c_int) -> c_int {
    let count = COUNT.load(Relaxed);
    if count.is_null() || fit == Fit::Unknown {
        return execute();
    }
    // SAFETY: the collector's function of that name is a `Count`; the collector is never unloaded.
    let count = unsafe { transmute::<*mut c_void, Count>(count) };
    count(1);
    // Only a call that fails, or one that spawns, returns.
    let result = execute();
    if result != 0 {
        count(-1);
    }
    result
}
