//! Filters of system calls (seccomp(2)): a call for which a filter kills is not made. Unsafe: system calls.
//!
//! A filter can't be read. If there is one, a copy of the process makes the calls first; the copy is not a child that
//! the program could wait for.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_long};
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::system::Descriptor;

/// Answer to [`kills`], once it is known.
static KILLS: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

/// True if a filter that the process started with kills it for creating a timer or an event of the kernel. Checks
/// once, while the process has one thread; async-signal-safe.
pub(crate) fn kills() -> bool {
    match KILLS.load(Relaxed) {
        UNKNOWN => {
            let kills = is_filtered() && !survives();
            KILLS.store(if kills { YES } else { NO }, Relaxed);
            kills
        }
        known => known == YES,
    }
}

/// True if the process has a filter (proc_pid_status(5), "Seccomp").
fn is_filtered() -> bool {
    let mut text = [0; 4096];
    let length = Descriptor::read_only(c"/proc/self/status").map_or(0, |file| file.read(&mut text));
    says_filtered(text.get(..length).unwrap_or_default())
}

fn says_filtered(status: &[u8]) -> bool {
    let mut lines = status.split(|byte| *byte == b'\n');
    let mode = lines.find_map(|line| line.strip_prefix(b"Seccomp:")).unwrap_or_default();
    !matches!(mode.trim_ascii(), b"" | b"0")
}

/// True if a copy of this process survives the calls.
fn survives() -> bool {
    let no_signal_at_its_end: c_long = 0;
    // SAFETY: like fork(2), without the C library's handlers. The copy only makes system calls, and exits.
    let copy = unsafe { libc::syscall(libc::SYS_clone, no_signal_at_its_end, 0, 0, 0, 0) };
    match copy {
        0 => try_calls(),
        1.. => ended_well(copy),
        // The result is unknown.
        _ => false,
    }
}

/// Makes the calls in the copy, with arguments for which they don't have an effect. Refused calls return.
fn try_calls() -> ! {
    let mut timer: c_int = 0;
    // SAFETY: the attributes are at address 0, which the kernel refuses with EFAULT (perf_event_open(2)).
    unsafe { libc::syscall(libc::SYS_perf_event_open, ptr::null::<u8>(), 0, -1, -1, 0) };
    // SAFETY: a timer without an event of its own; its number is writable.
    let made =
        unsafe { libc::syscall(libc::SYS_timer_create, libc::CLOCK_MONOTONIC, ptr::null::<u8>(), &raw mut timer) };
    if made == 0 {
        // SAFETY: takes a number: no memory is touched (timer_delete(2)).
        unsafe { libc::syscall(libc::SYS_timer_delete, timer) };
    }
    loop {
        // SAFETY: ends the copy, without running any exit handlers.
        unsafe { libc::syscall(libc::SYS_exit_group, 0) };
    }
}

fn ended_well(copy: c_long) -> bool {
    let mut status: c_int = 0;
    // __WALL: no other thread waits for a copy without a signal at its end.
    let wall: c_int = 0x4000_0000;
    loop {
        // SAFETY: `status` is writable.
        let ended = unsafe { libc::syscall(libc::SYS_wait4, copy, &raw mut status, wall, ptr::null::<u8>()) };
        if ended == copy {
            return status == 0;
        }
        if crate::system::errno() != libc::EINTR {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_names_a_filter() {
        assert!(says_filtered(b"Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n"));
        assert!(!says_filtered(b"Name:\tx\nSeccomp:\t0\n"));
        assert!(!says_filtered(b"Name:\tx\n"));
    }

    #[test]
    fn without_a_filter_that_kills_the_copy_survives() {
        assert!(survives());
        assert!(!kills());
    }
}
