//! Forked children: each has a file of its own, from its first event on. Ends without exit handlers.
#![allow(unsafe_code)] // pthread_atfork, and exported functions

use std::sync::Once;

use crate::{file, lane};

/// Makes children start again.
pub(crate) fn set_up() {
    static ASKED: Once = Once::new();
    // SAFETY: the handler is never unloaded (the library is linked `-z nodelete`), and allocates nothing.
    ASKED.call_once(|| _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) });
}

/// Runs in the child, which has one thread.
unsafe extern "C" fn in_child() {
    lane::forget();
    file::forget();
}

system::before_quick_exit!(file::end_quickly);
