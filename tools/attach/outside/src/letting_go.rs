//! The end of a thread's tracing, for which the thread has to be stopped (ptrace(2)). Unsafe: this call.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::stop::{LOOK, Stop, await_child, look};

/// Threads that are still traced, since they have not stopped in time. When this process ends, so does the tracing.
static LEFT: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Lets a thread go as soon as it has stopped: see [`none_is_left`].
pub(crate) fn later(tid: u32) {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner).push(tid);
}

/// Lets those go that have stopped meanwhile; returns true if none is left.
///
/// A thread that executes a program waits in the kernel until all others have ended, and the end of a traced one waits until its
/// tracer has seen it. A process that starts to trace a thread waits for that program. So both wait forever if this process traces
/// one thread and starts to trace another one (`de_thread` and `ptrace_attach` in Linux, `cred_guard_mutex`).
pub(crate) fn none_is_left() -> bool {
    let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    left.retain(|tid| !within(*tid, true, Duration::ZERO));
    left.is_empty()
}

/// Ends the tracing of a thread, which is possible only while it is stopped. Returns false if it doesn't stop in time
/// because it gets no processor.
pub(crate) fn within(tid: u32, mut runs: bool, max_wait: Duration) -> bool {
    let (begun, mut signal) = (Instant::now(), 0_usize);
    loop {
        if !runs {
            // SAFETY: takes no memory (PTRACE_DETACH).
            if unsafe { libc::ptrace(libc::PTRACE_DETACH, tid, ptr::null_mut::<u8>(), signal) } == 0 {
                return true;
            }
            // It has been killed. This process has to see its end.
            runs = true;
        }
        match look(tid) {
            Ok(Some(stop)) => {
                runs = false;
                signal = if let Stop::Signal(number) = stop { number.unsigned_abs() as usize } else { 0 };
            }
            Ok(None) if begun.elapsed() >= max_wait => return false,
            Ok(None) => await_child(LOOK),
            Err(_) => return true,
        }
    }
}
