//! The process's action for the sampling signal. Unsafe: system calls, and calls of the C library's functions that
//! ours replace.
//!
//! The program must not notice it: a query returns what the program itself has set. As soon as the program sets a
//! handler for the signal, all clocks stop and the signal is the program's. The C library's `sigaction` is looked up
//! as the next definition after ours ([`crate::signal_calls`]).
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ffi::c_int;
use std::mem::{MaybeUninit, transmute, zeroed};
use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize};

use profile_format::variable;

use crate::process;

/// `sigaction` of the C library.
pub(crate) type Call = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;

static NEXT: AtomicUsize = AtomicUsize::new(0);
/// Our signal, while we have it; 0 if there is none.
static OURS: AtomicI32 = AtomicI32::new(0);
/// True once the program has set a handler for the signal.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// True once the program reads the signal from a descriptor. Our handler stays: a signal may be on its way.
static FETCHED: AtomicBool = AtomicBool::new(false);
/// The action that the program has set; zeros for the default.
static BELIEVED: Believed = Believed(UnsafeCell::new(MaybeUninit::zeroed()));
static IGNORED: AtomicBool = AtomicBool::new(false);

struct Believed(UnsafeCell<MaybeUninit<libc::sigaction>>);

// SAFETY: written before there is any thread but the first one, later by callers of `sigaction` for the same signal, which
// is then as racy as in the program itself; it is plain data.
unsafe impl Sync for Believed {}

/// Finds the C library's `sigaction`, the next definition after ours.
pub(crate) fn next() -> Option<Call> {
    if NEXT.load(Relaxed) == 0 {
        // SAFETY: a constant C string; the call only looks it up.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, c"sigaction".as_ptr()) }.expose_provenance();
        NEXT.store(found, Relaxed);
    }
    known()
}

/// The C library's `sigaction`, if [`next`] has found it. Async-signal-safe.
fn known() -> Option<Call> {
    let found = NEXT.load(Relaxed);
    // SAFETY: the C library's function of this name has this type.
    (found != 0).then(|| unsafe { transmute::<usize, Call>(found) })
}

fn set(signal: c_int, action: *const libc::sigaction, before: *mut libc::sigaction) -> bool {
    let Some(next) = known() else { return false };
    // SAFETY: callers pass null, or pointers that may be read and written.
    unsafe { next(signal, action, before) == 0 }
}

fn empty() -> libc::sigaction {
    // SAFETY: all zero is a valid action: the default one.
    unsafe { zeroed() }
}

/// Installs `handler` for the signal. `handler` has the type that SA_SIGINFO requires.
pub(crate) fn install(signal: c_int, handler: usize) -> bool {
    next();
    let mut action = empty();
    action.sa_sigaction = handler;
    action.sa_flags = libc::SA_RESTART | libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: `sa_mask` is a whole set, ours to be written (sigfillset(3)).
    unsafe { libc::sigfillset(&raw mut action.sa_mask) };
    let done = set(signal, &raw const action, BELIEVED.0.get().cast());
    // SAFETY: plain data, as `Believed` says, and the default action before it was written.
    let believed = unsafe { BELIEVED.0.get().cast::<libc::sigaction>().read() };
    // The handler of our own earlier session stays installed until another session starts.
    let believed = if believed.sa_sigaction == handler { libc::SIG_DFL } else { believed.sa_sigaction };
    IGNORED.store(believed == libc::SIG_IGN || has_no_effect(signal, believed), Relaxed);
    if done {
        // Release: pairs with the load in `concern`; publishes `BELIEVED`.
        OURS.store(signal, Release);
    }
    done
}

/// True if the program has a handler for the signal, which is not ours.
pub(crate) fn has_handler(signal: c_int, ours: usize) -> bool {
    next();
    let mut now = empty();
    set(signal, ptr::null(), &raw mut now);
    ![libc::SIG_DFL, libc::SIG_IGN, ours].contains(&now.sa_sigaction)
}

/// Drops all pending signals of this number, even if threads block it: they may be ours, and the session is over.
pub(crate) fn drop_pending(signal: c_int) {
    let (mut ours, mut nothing) = (empty(), empty());
    nothing.sa_sigaction = libc::SIG_IGN;
    if set(signal, &raw const nothing, &raw mut ours) {
        set(signal, &raw const ours, ptr::null_mut());
    }
}

/// True if the program has set a handler for the signal.
pub(crate) fn has_own_handler() -> bool {
    TAKEN.load(Relaxed)
}

/// True if the program has taken the signal: no clock may send it.
pub(crate) fn is_taken() -> bool {
    TAKEN.load(Relaxed) || FETCHED.load(Relaxed)
}

/// True if a signal that does not come from a clock is ignored.
pub(crate) fn is_ignored() -> bool {
    IGNORED.load(Relaxed)
}

/// Restores the default action and raises the signal again, to be delivered after the handler has returned.
pub(crate) fn repeat_by_default(signal: c_int) {
    let action = empty();
    set(signal, &raw const action, ptr::null_mut());
    // SAFETY: takes a number, and sends a signal to this thread (raise(3)).
    unsafe { libc::raise(signal) };
}

/// True if a program with this action doesn't notice the signal. An ignored signal stays ignored in programs that are
/// exec'd. So an action counts only for the signal that is ignored by default.
fn has_no_effect(signal: c_int, action: libc::sighandler_t) -> bool {
    signal == variable::HARMLESS_SIGNAL && matches!(action, libc::SIG_DFL | libc::SIG_IGN)
}

/// True if the calling thread blocks the signal.
pub(crate) fn is_blocked(signal: c_int) -> bool {
    // SAFETY: all zero is a valid, empty set.
    let mut now: libc::sigset_t = unsafe { zeroed() };
    // SAFETY: only queries; `now` is writable.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), &raw mut now) };
    // SAFETY: `now` is a whole set, all zero or written by `pthread_sigmask` (sigismember(3)).
    unsafe { libc::sigismember(&raw const now, signal) == 1 }
}

/// Handles the program's `sigaction` for the sampling signal: `old` receives the program's own view. Returns true if
/// nothing is left for the system to do. `stop_clocks` is called if the signal belongs to the program from now on.
///
/// # Safety
/// The pointers are null, or valid as for `sigaction`.
pub(crate) unsafe fn concern(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
    stop_clocks: fn(),
) -> bool {
    // Acquire: pairs with the store in `install`; publishes `BELIEVED`.
    if signal == 0 || signal != OURS.load(Acquire) || has_own_handler() || !process::is_here() {
        return false;
    }
    // SAFETY: null is handled by `as_ref`; else an action that may be read, by this function's `# Safety`.
    let wanted = unsafe { new.as_ref() };
    if let Some(wanted) = wanted
        && wanted.sa_sigaction != libc::SIG_DFL
        && !has_no_effect(signal, wanted.sa_sigaction)
    {
        give_up(signal, stop_clocks);
        return false;
    }
    if !old.is_null() {
        // SAFETY: `BELIEVED` holds an action, zeros at first; `Believed` assumes that no other thread writes it meanwhile.
        let believed = unsafe { BELIEVED.0.get().cast::<libc::sigaction>().read() };
        // SAFETY: not null, so an action that may be written, by this function's `# Safety`.
        unsafe { old.write(believed) };
    }
    if let Some(wanted) = wanted {
        // SAFETY: plain data; `Believed` assumes that no other thread calls `sigaction` for the signal meanwhile.
        unsafe { BELIEVED.0.get().cast::<libc::sigaction>().write(*wanted) };
        IGNORED.store(has_no_effect(signal, wanted.sa_sigaction), Relaxed);
    }
    true
}

/// Gives the signal up: stops all clocks and installs the action that the program has set.
fn give_up(signal: c_int, stop_clocks: fn()) {
    // Release: meant for the loads in `is_taken`, which are Relaxed; publishes nothing.
    TAKEN.store(true, Release);
    stop_clocks();
    drop_harmless(signal);
    set(signal, BELIEVED.0.get().cast(), ptr::null_mut());
}

/// Stops all clocks if the program will read their signal, a member of this set, from a descriptor.
pub(crate) fn fetches(fetched: &libc::sigset_t, stop_clocks: fn()) {
    // Acquire: pairs with the store in `install`.
    let signal = OURS.load(Acquire);
    // SAFETY: a whole set (sigismember(3)).
    if signal == 0 || unsafe { libc::sigismember(fetched, signal) } != 1 || is_taken() || !process::is_here() {
        return;
    }
    FETCHED.store(true, Relaxed);
    stop_clocks();
    drop_harmless(signal);
}

/// Drops pending signals on all threads, unless the program may have sent them: most programs don't use this one.
fn drop_harmless(signal: c_int) {
    if signal == variable::HARMLESS_SIGNAL {
        drop_pending(signal);
    }
}
