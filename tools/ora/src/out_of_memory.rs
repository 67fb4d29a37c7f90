//! End of a command that can't allocate memory (`ulimit -v`, a control group): a message and an exit code instead of an abort.
//!
//! The standard library aborts if an allocation fails, and its hook for that is not stable. The allocator notes the refusal, and a handler
//! for the abort's signal reports it.
#![allow(unsafe_code)] // a signal handler

use std::ffi::c_int;
use std::ptr::null_mut;

use reserve_allocator::WithReserve;

use crate::exit::OWN_FAILURE;

#[global_allocator]
static ALLOCATOR: WithReserve = WithReserve::new();

const MESSAGE: &[u8] = b"ora: out of memory. Raise the limit (ulimit -v, or that of the container)\n";

/// Ends the process with a message if it aborts because memory was refused, and by the signal otherwise. Async-signal-safe.
extern "C" fn on_abort(signal: c_int) {
    if ALLOCATOR.was_refused() {
        // SAFETY: the address and the length are those of a constant (write(2)).
        unsafe { libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len()) };
        // SAFETY: async-signal-safe, and has no other condition (_exit(2)).
        unsafe { libc::_exit(OWN_FAILURE.into()) };
    }
    // The handler was reset when it was called, so this time the signal is fatal.
    // SAFETY: async-signal-safe, and has no other condition (raise(3)).
    unsafe { libc::raise(signal) };
}

/// Installs the handler. A process that is executed from here has the default again.
pub(crate) fn install() {
    // SAFETY: zeros are a valid value of this plain structure: an empty mask, and no flags.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_abort as extern "C" fn(c_int) as usize;
    action.sa_flags = libc::SA_RESETHAND | libc::SA_NODEFER;
    // SAFETY: a valid action, whose handler is async-signal-safe; the old action is not requested, as the pointer is null (sigaction(2)).
    unsafe { libc::sigaction(libc::SIGABRT, &raw const action, null_mut()) };
}
