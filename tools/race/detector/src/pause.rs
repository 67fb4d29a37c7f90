//! Delays after `single` constructs, so that a different thread executes the next one.
//!
//! Any thread may execute a `single`. If one thread executes several in turn, a race between them is not seen: its accesses are
//! ordered. The threads of a region start one after the other, so the first one would often execute them all.
#![allow(unsafe_code)] // a system call

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Number of pauses of a process, and the length of each in nanoseconds: they cost it several milliseconds.
const MAX_PAUSES: u32 = 16;
const LENGTH: i64 = 500_000;

static COUNT: AtomicU32 = AtomicU32::new(0);

/// The calling thread has executed a `single` construct, and its team has other threads.
pub(crate) fn after_single() {
    if COUNT.load(Relaxed) >= MAX_PAUSES || COUNT.fetch_add(1, Relaxed) >= MAX_PAUSES {
        return;
    }
    let length = libc::timespec { tv_sec: 0, tv_nsec: LENGTH };
    // SAFETY: nanosleep(2) reads the length, and accepts null for the remainder. The system call is used because
    // libc's function is ThreadSanitizer's here.
    unsafe { libc::syscall(libc::SYS_nanosleep, &raw const length, std::ptr::null_mut::<libc::timespec>()) };
}
