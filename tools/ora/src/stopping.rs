//! Stopping of `ora` together with the program, so that a shell sees the program stop. Unsafe: these are system calls.
//!
//! A key on the terminal (Ctrl-Z) stops both anyway, and so does a signal to the process group. `ora` then continues with the program.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::mem::zeroed;
use std::thread::sleep;
use std::time::Duration;

/// Time in which a signal to the process group has stopped or continued both processes.
const SAME_SIGNAL: Duration = Duration::from_millis(50);

/// Stops this process, if it may stop, by the signal that has stopped the program, unless the program has been continued meanwhile.
/// Returns once this process is continued.
pub(crate) fn follow(program: c_int, may_stop: bool) {
    sleep(SAME_SIGNAL);
    if may_stop && let Some(signal) = stopped_by(program) {
        // SAFETY: sends a signal to this thread, which stops the process.
        unsafe { libc::raise(signal) };
    }
}

/// Continues the program if it is stopped. Async-signal-safe: makes system calls only.
pub(crate) fn continue_program(program: c_int) {
    if stopped_by(program).is_some() {
        // SAFETY: a system call without pointers. The program has not been waited for, so the id is still its own.
        unsafe { libc::kill(program, libc::SIGCONT) };
    }
}

/// The signal that has stopped this child; `None` if it isn't stopped.
fn stopped_by(program: c_int) -> Option<c_int> {
    // SAFETY: all zero is a valid `siginfo_t`.
    let mut about: libc::siginfo_t = unsafe { zeroed() };
    let flags = libc::WSTOPPED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `about` is valid for writes.
    let answer = unsafe { libc::waitid(libc::P_PID, program.cast_unsigned(), &raw mut about, flags) };
    // SAFETY: filled in by the call above; without a stopped child, all its fields are 0.
    (answer == 0 && about.si_code == libc::CLD_STOPPED).then(|| unsafe { about.si_status() })
}
