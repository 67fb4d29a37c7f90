//! The C library's flag for a process with a single thread (glibc 2.32 and newer, `__libc_single_threaded`).
#![allow(unsafe_code)] // reads a variable of the C library

use crate::linker::Scope;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering::Relaxed};

static FLAG: AtomicPtr<AtomicU8> = AtomicPtr::new(null_mut());

/// Looks up the variable. Called once while the library is being loaded: later the linker may be busy with
/// constructors.
pub fn load() {
    FLAG.store(Scope::Default.symbol(c"__libc_single_threaded").map_or(null_mut(), |found| found.cast()), Relaxed);
}

/// True if the C library says that the process has one thread.
pub fn is_known() -> bool {
    // SAFETY: null, or the C library's variable, a char that is never unmapped.
    unsafe { FLAG.load(Relaxed).as_ref() }.is_some_and(|flag| flag.load(Relaxed) != 0)
}
