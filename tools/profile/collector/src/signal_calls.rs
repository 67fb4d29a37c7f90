//! Functions exported in place of the C library's: signal actions. They hide our signal from the program. Unsafe: calls with the
//! program's handlers, and calls of the C library's functions.
//!
//! All of these end in our [`sigaction`]. The C library's own versions would not: they call its `sigaction` directly. Strict C99 and
//! C11 make `signal` a call of `__sysv_signal`.
#![allow(unsafe_code)]
// Unit tests use the C library's own functions.
#![cfg_attr(test, allow(dead_code))]

use std::ffi::c_int;
use std::mem::zeroed;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use libc::{SA_NODEFER, SA_RESETHAND, SA_RESTART, SIG_ERR, SIG_IGN, sighandler_t};

use crate::{disposition, system, threads};

/// Request of `sigset` to block the signal (sigset(3)).
const SIG_HOLD: sighandler_t = 2;

/// Signals for which `siginterrupt` has requested that calls are interrupted, by number; the first bit is signal 1.
static INTERRUPTS: AtomicU64 = AtomicU64::new(0);

/// `sigaction` of POSIX (sigaction(3p)), which hides our signal from the program.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int {
    // SAFETY: `new` and `old` are null or as sigaction(3p) requires, by this function's `# Safety`.
    if unsafe { disposition::concern(signal, new, old, threads::stop_clocks) } {
        return 0;
    }
    let Some(next) = disposition::next() else { return -1 };
    // SAFETY: the C library's function gets arguments as this function's `# Safety` requires (sigaction(3p)).
    unsafe { next(signal, new, old) }
}

/// Sets an action and returns the handler before; `SIG_ERR` if that isn't possible. `mask`: a signal to be blocked in the handler,
/// or 0.
///
/// # Safety
/// A handler as signal(3p) requires.
unsafe fn set(number: c_int, handler: sighandler_t, flags: c_int, mask: c_int) -> sighandler_t {
    if handler == SIG_ERR {
        system::set_errno(libc::EINVAL);
        return SIG_ERR;
    }
    // SAFETY: all zero is a valid action with an empty mask.
    let mut new: libc::sigaction = unsafe { zeroed() };
    let mut old = new;
    new.sa_sigaction = handler;
    new.sa_flags = flags;
    if mask != 0 {
        // SAFETY: the mask is ours; a number that is no signal's is an error.
        unsafe { libc::sigaddset(&raw mut new.sa_mask, mask) };
    }
    // SAFETY: `new` and `old` are ours; the handler is as signal(3p) requires, by this function's `# Safety`.
    if unsafe { sigaction(number, &raw const new, &raw mut old) } == 0 { old.sa_sigaction } else { SIG_ERR }
}

/// The action of a signal, as the program knows it.
fn action(number: c_int) -> Option<libc::sigaction> {
    // SAFETY: all zero is a valid action.
    let mut now: libc::sigaction = unsafe { zeroed() };
    // SAFETY: only queries; `now` is writable.
    (unsafe { sigaction(number, ptr::null(), &raw mut now) } == 0).then_some(now)
}

/// The bit of a signal's number in [`INTERRUPTS`]; 0: no signal.
fn bit(number: c_int) -> u64 {
    u32::try_from(number).ok().and_then(|number| 1_u64.checked_shl(number.checked_sub(1)?)).unwrap_or(0)
}

/// `signal` as in the C library (signal(3)): the handler stays installed, and interrupted calls are restarted.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn signal(number: c_int, handler: sighandler_t) -> sighandler_t {
    let restarts = INTERRUPTS.load(Relaxed) & bit(number) == 0;
    // SAFETY: a handler as signal(3p) requires, by this function's `# Safety`.
    unsafe { set(number, handler, if restarts { SA_RESTART } else { 0 }, number) }
}

/// `bsd_signal` (bsd_signal(3)), another name of `signal`.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn bsd_signal(number: c_int, handler: sighandler_t) -> sighandler_t {
    // SAFETY: as for `signal`, by this function's `# Safety`.
    unsafe { signal(number, handler) }
}

/// `ssignal` of the C library, another name of `signal`.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn ssignal(number: c_int, handler: sighandler_t) -> sighandler_t {
    // SAFETY: as for `signal`, by this function's `# Safety`.
    unsafe { signal(number, handler) }
}

/// `sysv_signal` (sysv_signal(3)): the default action returns with the first signal, which the handler does not block.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn sysv_signal(number: c_int, handler: sighandler_t) -> sighandler_t {
    // SAFETY: a handler as signal(3p) requires, by this function's `# Safety`.
    unsafe { set(number, handler, SA_RESETHAND | SA_NODEFER, 0) }
}

/// Another name of `sysv_signal`, which `signal` is in strict C99 and C11.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn __sysv_signal(number: c_int, handler: sighandler_t) -> sighandler_t {
    // SAFETY: as for `sysv_signal`, by this function's `# Safety`.
    unsafe { sysv_signal(number, handler) }
}

/// `sigset` of System V (sigset(3)): sets a handler and unblocks the signal, or blocks it.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn sigset(number: c_int, handler: sighandler_t) -> sighandler_t {
    // SAFETY: all zero is a valid, empty set.
    let mut it: libc::sigset_t = unsafe { zeroed() };
    let mut before = it;
    // SAFETY: the set is ours; a number that is no signal's is an error, and has no effect.
    if unsafe { libc::sigaddset(&raw mut it, number) } != 0 {
        return SIG_ERR;
    }
    let (how, old) = if handler == SIG_HOLD {
        (libc::SIG_BLOCK, action(number).map_or(SIG_ERR, |now| now.sa_sigaction))
    } else {
        // SAFETY: a handler as sigset(3) requires, by this function's `# Safety`.
        (libc::SIG_UNBLOCK, unsafe { set(number, handler, 0, 0) })
    };
    if old == SIG_ERR {
        return SIG_ERR;
    }
    // SAFETY: both sets are ours (pthread_sigmask(3)).
    unsafe { libc::pthread_sigmask(how, &raw const it, &raw mut before) };
    // SAFETY: a whole set, written by `pthread_sigmask`.
    if unsafe { libc::sigismember(&raw const before, number) } == 1 { SIG_HOLD } else { old }
}

/// `sigignore` of System V (sigignore(3)).
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn sigignore(number: c_int) -> c_int {
    // SAFETY: to ignore a signal is valid (signal(3p)).
    if unsafe { set(number, SIG_IGN, 0, 0) } == SIG_ERR { -1 } else { 0 }
}

/// `siginterrupt` (siginterrupt(3)): whether a handler interrupts calls, also one that `signal` sets later.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn siginterrupt(number: c_int, interrupts: c_int) -> c_int {
    let Some(mut action) = action(number) else { return -1 };
    if interrupts == 0 {
        INTERRUPTS.fetch_and(!bit(number), Relaxed);
        action.sa_flags |= SA_RESTART;
    } else {
        INTERRUPTS.fetch_or(bit(number), Relaxed);
        action.sa_flags &= !SA_RESTART;
    }
    // SAFETY: the action was valid, and still is.
    unsafe { sigaction(number, &raw const action, ptr::null_mut()) }
}
