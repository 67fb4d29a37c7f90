//! `dlclose`, exported in place of the C library's: other code may be mapped later where the unloaded code was.
#![allow(unsafe_code)] // calls the C library's function

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

type Close = unsafe extern "C-unwind" fn(*mut c_void) -> c_int;

/// Address of the C library's function; 0: not looked up yet.
static CLOSE: AtomicUsize = AtomicUsize::new(0);
/// Number of times that code may have been unloaded.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// True if the program has unloaded code.
static HAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Number of times that code may have been unloaded. As long as it is the same, so is the code at each address that has been seen.
#[inline]
pub(crate) fn count() -> usize {
    // Relaxed: a thread that executes code at the addresses of unloaded code has synchronized with the thread that loaded it.
    COUNT.load(Relaxed)
}

/// True if the program has unloaded code.
pub(crate) fn has_closed() -> bool {
    HAS_CLOSED.load(Relaxed)
}

/// Notes that code may have been unloaded.
pub(crate) fn note() {
    COUNT.fetch_add(1, Relaxed);
}

/// `dlclose` of POSIX (dlclose(3)), which notes the unloading.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
#[cfg_attr(test, allow(dead_code))]
unsafe extern "C-unwind" fn dlclose(handle: *mut c_void) -> c_int {
    let mut close = CLOSE.load(Relaxed);
    if close == 0 {
        // SAFETY: a C string; the call only looks it up.
        close = unsafe { libc::dlsym(libc::RTLD_NEXT, c"dlclose".as_ptr()) }.expose_provenance();
        CLOSE.store(close, Relaxed);
    }
    if close == 0 {
        return -1;
    }
    // SAFETY: the C library's function of this name has this type.
    let close = unsafe { std::mem::transmute::<usize, Close>(close) };
    // SAFETY: the argument is as dlclose(3) requires, by this function's `# Safety`.
    let answer = unsafe { close(handle) };
    HAS_CLOSED.store(true, Relaxed);
    note();
    answer
}
