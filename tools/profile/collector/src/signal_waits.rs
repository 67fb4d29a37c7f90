//! Functions exported in place of the C library's: waits for signals that the program blocks. Unsafe: calls of the C library's
//! functions.
//!
//! A program may fetch all signals, ours with them. The waits drop those of our clocks and go on. A descriptor is read without any
//! call that could drop them: a program that asks for one with our signal gets the signal, as with a handler.
//!
//! The waits are points of cancellation: no frame here has anything to clean up.
#![allow(unsafe_code)]
// Unit tests use the C library's own functions.
#![cfg_attr(test, allow(dead_code))]

use std::ffi::c_int;
use std::mem::{transmute, zeroed};
use std::ptr;
use std::sync::atomic::AtomicUsize;

use libc::{siginfo_t, sigset_t, timespec};

use crate::next_definition::next;
use crate::{clock, disposition, system, threads};

type TimedWait = unsafe extern "C-unwind" fn(*const sigset_t, *mut siginfo_t, *const timespec) -> c_int;
type Open = unsafe extern "C" fn(c_int, *const sigset_t, c_int) -> c_int;

/// Addresses of the next definitions; 0: not looked up yet.
static TIMED_WAIT: AtomicUsize = AtomicUsize::new(0);
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// `sigtimedwait` of POSIX (sigtimedwait(3p)), without the signals of our clocks.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn sigtimedwait(set: *const sigset_t, info: *mut siginfo_t, limit: *const timespec) -> c_int {
    let wait = next(&TIMED_WAIT, c"sigtimedwait");
    if wait == 0 {
        return -1;
    }
    // SAFETY: the C library's function of this name has this type.
    let wait = unsafe { transmute::<usize, TimedWait>(wait) };
    // SAFETY: all zero is a valid `siginfo_t`.
    let mut own: siginfo_t = unsafe { zeroed() };
    let info = if info.is_null() { &raw mut own } else { info };
    // SAFETY: null, or a time that may be read, by this function's `# Safety`.
    let whole = unsafe { limit.as_ref() };
    let mut left = whole.copied();
    let begun_ns = system::monotonic_ns();
    loop {
        let limit = left.as_ref().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: `set` is as sigtimedwait(3p) requires, by this function's `# Safety`; `info` may be written, `limit` read.
        let number = unsafe { wait(set, info, limit) };
        // SAFETY: the wait has returned a signal's number, so it has written this.
        if number <= 0 || !clock::sent(unsafe { &*info }) {
            return number;
        }
        left = whole.map(|whole| rest(whole, system::monotonic_ns().saturating_sub(begun_ns)));
    }
}

/// Remaining time of a wait.
fn rest(whole: &timespec, over_ns: u64) -> timespec {
    let left_ns = (i128::from(whole.tv_sec) * 1_000_000_000 + i128::from(whole.tv_nsec) - i128::from(over_ns)).max(0);
    let part = |ns: i128| i64::try_from(ns).unwrap_or(i64::MAX);
    timespec { tv_sec: part(left_ns / 1_000_000_000), tv_nsec: part(left_ns % 1_000_000_000) }
}

/// `sigwaitinfo` of POSIX (sigwaitinfo(3p)), without the signals of our clocks.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn sigwaitinfo(set: *const sigset_t, info: *mut siginfo_t) -> c_int {
    // SAFETY: as for `sigtimedwait`, by this function's `# Safety`; without a time it waits as long as necessary.
    unsafe { sigtimedwait(set, info, ptr::null()) }
}

/// `sigwait` of POSIX (sigwait(3p)), without the signals of our clocks.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn sigwait(set: *const sigset_t, number: *mut c_int) -> c_int {
    loop {
        // SAFETY: as for `sigtimedwait`, by this function's `# Safety`.
        let got = unsafe { sigtimedwait(set, ptr::null_mut(), ptr::null()) };
        if got >= 0 {
            // SAFETY: may be written, by this function's `# Safety`.
            unsafe { number.write(got) };
            return 0;
        }
        let error = system::errno();
        if error != libc::EINTR {
            return error;
        }
    }
}

/// `signalfd` (signalfd(2)); with our signal, the program gets it.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn signalfd(fd: c_int, set: *const sigset_t, flags: c_int) -> c_int {
    let open = next(&OPEN, c"signalfd");
    if open == 0 {
        return -1;
    }
    // SAFETY: null, or a set that may be read, by this function's `# Safety`.
    if let Some(set) = unsafe { set.as_ref() } {
        disposition::fetches(set, threads::stop_clocks);
    }
    // SAFETY: the C library's function of this name has this type.
    let open = unsafe { transmute::<usize, Open>(open) };
    // SAFETY: all arguments are as signalfd(2) requires, by this function's `# Safety`.
    unsafe { open(fd, set, flags) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_wait_is_never_negative() {
        let rest = |seconds, ns, over_ns| {
            let left = rest(&timespec { tv_sec: seconds, tv_nsec: ns }, over_ns);
            (left.tv_sec, left.tv_nsec)
        };
        assert_eq!(rest(2, 5, 1_000_000_006), (0, 999_999_999));
        assert_eq!(rest(0, 5, 6), (0, 0));
        assert_eq!(rest(i64::MAX, 0, 0), (i64::MAX, 0));
    }
}
