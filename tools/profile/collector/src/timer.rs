//! POSIX timers, one for each thread (timer_create(2)). Unsafe: system calls.
//!
//! Bypasses the C library's functions: not all of them are async-signal-safe, and they allocate in older releases.
//!
//! The kernel checks timers on a thread's CPU clock at its tick, so they can't be faster than that. And threads that
//! share processors are switched at ticks as well: a thread that has just been scheduled is rarely sampled, one that
//! spins until it is preempted always is. So events of the kernel are better, if they are permitted.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::mem::zeroed;
use std::ptr;

use crate::filter;
use crate::setting::Setting;
use crate::system;

/// Mark of our timers' signals: its address is their value.
static MARK: u8 = 0;

/// Starts a timer that sends a thread signals, the first one after `first_ns`; returns its number, or an error number.
pub(crate) fn start(setting: &Setting, tid: u32, first_ns: u64) -> Result<c_int, c_int> {
    make(setting, libc::CLOCK_THREAD_CPUTIME_ID, tid, [first_ns, setting.period_ns()])
}

/// Starts a timer that sends one signal to another thread when that thread has run for a period; returns the timer's
/// number, or an error number.
pub(crate) fn set_once(setting: &Setting, tid: u32) -> Result<c_int, c_int> {
    make(setting, system::cpu_clock_of(tid), tid, [setting.period_ns(), 0])
}

fn make(setting: &Setting, clock: libc::clockid_t, tid: u32, [first_ns, then_ns]: [u64; 2]) -> Result<c_int, c_int> {
    if filter::kills() {
        return Err(libc::EPERM);
    }
    // SAFETY: all zero is a valid `sigevent`.
    let mut event: libc::sigevent = unsafe { zeroed() };
    event.sigev_notify = libc::SIGEV_THREAD_ID;
    event.sigev_signo = setting.signal;
    event.sigev_notify_thread_id = tid.cast_signed();
    event.sigev_value = libc::sigval { sival_ptr: (&raw const MARK).cast_mut().cast() };
    let mut timer: c_int = 0;
    // SAFETY: `event` is readable, and `timer` is writable (timer_create(2)).
    if unsafe { libc::syscall(libc::SYS_timer_create, clock, &raw const event, &raw mut timer) } != 0 {
        return Err(system::errno());
    }
    #[allow(clippy::cast_possible_wrap)] // a second or so
    let time = |ns: u64| libc::timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 };
    let often = libc::itimerspec { it_interval: time(then_ns), it_value: time(first_ns) };
    // SAFETY: the kernel reads `often`, and writes nothing: the last pointer is null (timer_settime(2)).
    unsafe { libc::syscall(libc::SYS_timer_settime, timer, 0, &raw const often, ptr::null_mut::<libc::itimerspec>()) };
    Ok(timer)
}

/// Ends a timer that [`start`] has created, once.
pub(crate) fn stop(timer: c_int) {
    // SAFETY: no memory is touched; for a timer that does not exist it is an error (timer_delete(2)).
    unsafe { libc::syscall(libc::SYS_timer_delete, timer) };
}

/// Number of the timer that sent a signal.
pub(crate) fn number(info: &libc::siginfo_t) -> c_int {
    // SAFETY: a timer's signal has its number where others have a process's (siginfo.h: `si_timerid`, `si_pid`).
    unsafe { info.si_pid() }
}

/// True if one of these timers sent the signal.
pub(crate) fn sent(info: &libc::siginfo_t) -> bool {
    if info.si_code != libc::SI_TIMER {
        return false;
    }
    // SAFETY: SI_TIMER, checked above: such a signal has a value (sigaction(2)).
    let value = unsafe { info.si_value() };
    // The union's other half is an int.
    ptr::eq(value.sival_ptr.cast_const().cast(), &raw const MARK)
}
