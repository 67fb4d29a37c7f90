//! The end of a thread's tracing, which has to be stopped for that (ptrace(2)). Unsafe: this call.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::stop::{LOOK, Stop, await_child, look};

/// Threads that are traced still, since they have not stopped in time. The end of this process is the end of that, too.
static LEFT: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Lets a thread go as soon as it has stopped: see [`none_is_left`].
pub(crate) fn later(tid: u32) {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner).push(tid);
}

/// Lets those go that have stopped meanwhile; true if none is left.
///
/// A thread that executes a program waits in the kernel until all others have ended, and the end of a traced one until its tracer has
/// seen it. Who begins to trace a thread waits for that program. So both wait for ever if this process traces one thread and
/// begins with another one (`de_thread` and `ptrace_attach` in Linux, `cred_guard_mutex`).
pub(crate) fn none_is_left() -> bool {
    let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    left.retain(|tid| !within(*tid, true, Duration::ZERO));
    left.is_empty()
}

/// Ends the tracing of a thread, which can be done while it is stopped only. False: it doesn't stop in time, as it gets no processor.
pub(crate) fn within(tid: u32, mut runs: bool, patience: Duration) -> bool {
    let (begun, mut signal) = (Instant::now(), 0_usize);
    loop {
        if !runs {
            // SAFETY: takes no memory (PTRACE_DETACH).
            if unsafe { libc::ptrace(libc::PTRACE_DETACH, tid, ptr::null_mut::<u8>(), signal) } == 0 {
                return true;
            }
            // It has been killed. Its end is for this process to see.
            runs = true;
        }
        match look(tid) {
            Ok(Some(stop)) => {
                runs = false;
                signal = if let Stop::Signal(number) = stop { number.unsigned_abs() as usize } else { 0 };
            }
            Ok(None) if begun.elapsed() >= patience => return false,
            Ok(None) => await_child(LOOK),
            Err(_) => return true,
        }
    }
}
