//! Stops of traced threads, as waitpid(2) reports them. Unsafe: these calls.
#![allow(unsafe_code)]

use std::io;
use std::ptr;
use std::time::Duration;

/// A stop of a traced thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// At the start or the end of a system call.
    SystemCall,
    /// By `PTRACE_INTERRUPT`, or a group-stop.
    Event,
    /// At the delivery of this signal.
    Signal(i32),
    /// It executes another program, perhaps one with more rights: nothing may be written to it.
    Execution,
}

/// Added to the signal's number at a system call's stop, by `PTRACE_O_TRACESYSGOOD`.
const CALL_MARK: i32 = 0x80;
/// `PTRACE_EVENT_STOP`, in the event field of the status.
const EVENT_STOP: i32 = 128;
/// `PTRACE_EVENT_EXEC`, likewise.
const EVENT_EXECUTION: i32 = 4;
/// Maximum time between two checks: several stops may have sent one signal.
pub(crate) const LOOK: Duration = Duration::from_millis(2);

/// The stop of a traced thread that has not been seen yet; `None` if it runs.
///
/// # Errors
/// If it is gone.
pub(crate) fn look(tid: u32) -> io::Result<Option<Stop>> {
    let mut status = 0;
    // SAFETY: `status` is writable (waitpid(2)).
    let answer = unsafe { libc::waitpid(tid.cast_signed(), &raw mut status, libc::__WALL | libc::WNOHANG) };
    if answer < 0 {
        return Err(io::Error::last_os_error());
    }
    if answer > 0 && !libc::WIFSTOPPED(status) {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    let signal = libc::WSTOPSIG(status);
    Ok((answer > 0).then_some(match (signal, status >> 16) {
        (signal, 0) if signal & CALL_MARK != 0 => Stop::SystemCall,
        (_, EVENT_STOP) => Stop::Event,
        (_, EVENT_EXECUTION) => Stop::Execution,
        (signal, _) => Stop::Signal(signal),
    }))
}

/// Waits for the signal that a traced thread's stop sends, for at most `time`. A wait that yields the processor takes a time slice on
/// a busy machine.
pub(crate) fn await_child(time: Duration) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
    let signals = child_signal();
    // SAFETY: reads a signal set and a time (sigtimedwait(2)).
    unsafe { libc::sigtimedwait(&raw const signals, ptr::null_mut(), &raw const time) };
}

/// The set of SIGCHLD.
pub(crate) fn child_signal() -> libc::sigset_t {
    // SAFETY: all zero is a valid, empty signal set.
    let mut signals: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: a signal set, and a signal's number.
    unsafe { libc::sigaddset(&raw mut signals, libc::SIGCHLD) };
    signals
}
