//! The end of a command that gets no memory (`ulimit -v`, a control group): a message and an exit code, in place of an abort.
//!
//! The standard library aborts where an allocation fails; its hook for that is not stable. The allocator notes the refusal, and
//! a handler of the abort's signal tells it.
#![allow(unsafe_code)] // a signal handler

use std::ffi::c_int;
use std::ptr::null_mut;

use reserve_allocator::WithReserve;

use crate::exit::OWN_FAILURE;

#[global_allocator]
static ALLOCATOR: WithReserve = WithReserve::new();

const MESSAGE: &[u8] = b"ora: out of memory. Raise the limit (ulimit -v, or that of the container)\n";

/// Ends the process with a message if it aborts because memory was refused; by the signal otherwise. Async-signal-safe.
extern "C" fn on_abort(signal: c_int) {
    if ALLOCATOR.was_refused() {
        // SAFETY: the address and the length are those of a constant (write(2)).
        unsafe { libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len()) };
        // SAFETY: async-signal-safe, and has no other condition (_exit(2)).
        unsafe { libc::_exit(OWN_FAILURE.into()) };
    }
    // The handler was reset when it was called: this time the signal kills.
    // SAFETY: async-signal-safe, and has no other condition (raise(3)).
    unsafe { libc::raise(signal) };
}

/// Installs the handler. A process that is executed from here has the default again.
pub(crate) fn install() {
    // SAFETY: zeros are a valid value of this plain structure: an empty mask, and no flags.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_abort as extern "C" fn(c_int) as usize;
    action.sa_flags = libc::SA_RESETHAND | libc::SA_NODEFER;
    // SAFETY: a valid action, whose handler is async-signal-safe; null: the old one isn't asked for (sigaction(2)).
    unsafe { libc::sigaction(libc::SIGABRT, &raw const action, null_mut()) };
}
