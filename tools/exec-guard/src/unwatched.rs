//! The count of programs that were executed and can't be watched: the collector that is loaded beside the guard keeps it, so that
//! `ora` says nothing of them that it doesn't know.
#![allow(unsafe_code)] // a function that another library may export

use crate::image::Fit;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// `ora_collectors_unwatched`, which adds to the count; null where no collector is loaded that counts.
static COUNT: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

type Count = extern "C" fn(c_int);

/// Looks for the collector. To be called while the library is being loaded.
pub(crate) fn find() {
    // SAFETY: a C string; the handle means all objects that were loaded with the program.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"ora_collectors_unwatched".as_ptr()) };
    COUNT.store(function, Relaxed);
}

/// Calls `execute`, and counts the program unless that fails. One that can't be read may not be there at all.
pub(crate) fn counted(fit: Fit, execute: impl FnOnce() -> c_int) -> c_int {
    let count = COUNT.load(Relaxed);
    if count.is_null() || fit == Fit::Unknown {
        return execute();
    }
    // SAFETY: the collector's function of that name is a `Count`; it is never unloaded.
    let count = unsafe { transmute::<*mut c_void, Count>(count) };
    count(1);
    // Only a call that fails comes back, or one that spawns.
    let result = execute();
    if result != 0 {
        count(-1);
    }
    result
}
