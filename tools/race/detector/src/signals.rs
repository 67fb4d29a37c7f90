//! Signals of the calling thread.
#![allow(unsafe_code)] // system calls

use std::ptr;

/// Number of bytes of the kernel's signal sets.
const SET: usize = 8;

/// Calls a function while signals are blocked, by system calls: the C library's functions are ThreadSanitizer's, which
/// run handlers.
pub(crate) fn without(function: impl FnOnce()) {
    let (all, mut before) = (u64::MAX, 0_u64);
    // SAFETY: rt_sigprocmask(2) reads and writes sets of `SET` bytes.
    let blocked =
        unsafe { libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const all, &raw mut before, SET) };
    function();
    if blocked == 0 {
        // SAFETY: as above; the set is the thread's own.
        unsafe {
            libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const before, ptr::null_mut::<u64>(), SET)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocked() -> u64 {
        let mut now = 0_u64;
        // SAFETY: as in `without`.
        unsafe { libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, ptr::null::<u64>(), &raw mut now, SET) };
        now
    }

    #[test]
    fn signals_are_blocked_meanwhile() {
        let before = blocked();
        let mut meanwhile = 0;
        without(|| meanwhile = blocked());
        // SIGKILL and SIGSTOP cannot be blocked.
        assert_eq!((meanwhile.count_ones(), blocked()), (62, before));
    }
}
