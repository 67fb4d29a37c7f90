//! Standard streams that were closed when `ora` started. Rust's runtime opens `/dev/null` in their place, so that no file of `ora` gets
//! their numbers. The program starts without them, as it would without `ora`. Unsafe: these are system calls.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// True for each of stdin, stdout and stderr that was closed before Rust's runtime started.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = note;

extern "C" fn note() {
    for (stream, closed) in (0..).zip(&CLOSED) {
        // SAFETY: a system call without pointers.
        closed.store(unsafe { libc::fcntl(stream, libc::F_GETFD) } == -1, Relaxed);
    }
}

/// Calls `start`, which executes a program. Streams that it doesn't replace are closed in the program if they were closed in `ora`.
pub(crate) fn left_closed<T>(start: impl FnOnce() -> T) -> T {
    // A stream that replaces one of these in the child loses the flag (dup2(2)).
    set(libc::FD_CLOEXEC);
    let started = start();
    set(0);
    started
}

fn set(flags: c_int) {
    for (stream, closed) in (0..).zip(&CLOSED) {
        if closed.load(Relaxed) {
            // SAFETY: a system call without pointers. The descriptor is the one that Rust's runtime has opened.
            unsafe { libc::fcntl(stream, libc::F_SETFD, flags) };
        }
    }
}
