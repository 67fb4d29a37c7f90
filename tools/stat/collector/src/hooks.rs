//! Calls at the end of threads, among the exit handlers, and in forked children. Unsafe: the C library's functions.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::without_provenance_mut;

/// A function to be called when a thread ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadEnd(libc::pthread_key_t);

impl ThreadEnd {
    /// `then` is called with the number that the thread has set, among the destructors of other thread-specific data.
    pub(crate) fn new(then: extern "C" fn(*mut c_void)) -> Option<Self> {
        let mut key = 0;
        // SAFETY: `key` is writable; this library, and so the destructor, is never unloaded.
        let made = unsafe { libc::pthread_key_create(&raw mut key, Some(then)) };
        (made == 0).then_some(Self(key))
    }

    /// Asks for a call at this thread's end or, from within a call, for another call.
    pub(crate) fn set(self, number: usize) {
        // SAFETY: the key was made in `new` and is never deleted.
        unsafe { libc::pthread_setspecific(self.0, without_provenance_mut(number)) };
    }
}

/// Asks for a call in each forked child. Other handlers may not have run then, and locks may be held.
pub(crate) fn at_fork(then: extern "C" fn()) {
    // SAFETY: the handler is a function of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(None, None, Some(then)) };
}

/// Asks for a call among the exit handlers.
pub(crate) fn at_exit(then: extern "C" fn()) {
    // SAFETY: the handler is a function of this library, which is never unloaded.
    unsafe { libc::atexit(then) };
}
