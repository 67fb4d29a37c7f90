//! What sends a thread its signals. Unsafe: system calls.
//!
//! Timers on a thread's CPU clock are looked at when the kernel's tick comes, so they can't be faster than that.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::mem::zeroed;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::threads::Thread;
use crate::trouble::{Trouble, tell};
use crate::{disposition, setting, system};

/// What comes with our timers' signals: its address.
static MARK: u8 = 0;

/// A thread's timer: its number plus 1; 0: none.
#[derive(Debug)]
pub(crate) struct Place(AtomicUsize);

impl Place {
    /// In a forked child: timers aren't inherited.
    pub(crate) fn forget(&self) {
        self.0.store(0, Relaxed);
    }
}

/// Starts the calling thread's timer.
pub(crate) fn start(thread: &Thread) {
    let Some(setting) = setting::get().filter(|_| !disposition::is_taken()) else { return };
    // SAFETY: all zero is a valid `sigevent`.
    let mut event: libc::sigevent = unsafe { zeroed() };
    event.sigev_notify = libc::SIGEV_THREAD_ID;
    event.sigev_signo = setting.signal;
    event.sigev_notify_thread_id = thread.tid.load(Relaxed).cast_signed();
    event.sigev_value = libc::sigval { sival_ptr: (&raw const MARK).cast_mut().cast() };
    let clock = if setting.wall { libc::CLOCK_MONOTONIC } else { libc::CLOCK_THREAD_CPUTIME_ID };
    let mut timer: libc::timer_t = ptr::null_mut();
    // SAFETY: both are there, to be read and to be written.
    if unsafe { libc::timer_create(clock, &raw mut event, &raw mut timer) } != 0 {
        let error = system::errno();
        tell(Trouble::Timer, |text| {
            text.push(b"a thread got no timer and has no samples (error ")
                .number(u64::from(error.unsigned_abs()))
                .push(b")");
            if error == libc::EAGAIN {
                text.push(b": raise the limit of pending signals (ulimit -i)");
            }
        });
        return;
    }
    thread.timer.0.store(timer.addr() + 1, Relaxed);
    let period_ns = setting.period_ns();
    #[allow(clippy::cast_possible_wrap)] // at most a second
    let period =
        libc::timespec { tv_sec: (period_ns / 1_000_000_000) as i64, tv_nsec: (period_ns % 1_000_000_000) as i64 };
    let often = libc::itimerspec { it_interval: period, it_value: period };
    // SAFETY: a timer that was just made, and a setting to be read.
    unsafe { libc::timer_settime(timer, 0, &raw const often, ptr::null_mut()) };
}

/// Ends a thread's timer; any thread may.
pub(crate) fn stop(thread: &Thread) {
    if let Some(timer) = thread.timer.0.swap(0, Relaxed).checked_sub(1) {
        // SAFETY: the timer was made in `start`, and the swap lets one caller delete it.
        unsafe { libc::timer_delete(ptr::without_provenance_mut::<c_void>(timer)) };
    }
}

/// Whether a signal comes from one of these.
pub(crate) fn sent(info: &libc::siginfo_t) -> bool {
    if info.si_code != libc::SI_TIMER {
        return false;
    }
    // SAFETY: timers' signals have a value.
    let value = unsafe { info.si_value() };
    // The union's other half is an int.
    ptr::eq(value.sival_ptr.cast_const().cast(), &raw const MARK)
}

/// What the signals come from, for people.
pub(crate) const KIND: &[u8] = b"timer";
