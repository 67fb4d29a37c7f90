//! The definitions of functions that ours replace: the next ones in the dynamic linker's order. Unsafe: looking them up.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The next definition of a function; 0 if there is none.
pub(crate) fn next(place: &AtomicUsize, name: &CStr) -> usize {
    let mut found = place.load(Relaxed);
    if found == 0 {
        // SAFETY: a C string; the call only looks it up.
        found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }.expose_provenance();
        place.store(found, Relaxed);
    }
    found
}
