//! Entry of the signal handler: switches to a stack of our own. Unsafe: changing stacks.
//!
//! A handler runs on the thread's alternate stack, if it has one, and many of these have space for little more than
//! the kernel's frame (in Rust programs, for instance). So ours uses only a few words of it. All other signals are
//! blocked meanwhile: the kernel wouldn't know that the alternate stack is in use.
#![allow(unsafe_code)]

use std::ffi::c_int;

use crate::thread_record::Thread;
use crate::{current_thread, disposition, sampling, signal, threads};

::system::signal_handler_on! {
    /// The signal handler, for SA_SIGINFO.
    pub(crate) fn entry, stack, signal::on_signal
}

/// Installs the handler for the signal.
pub(crate) fn install(signal: c_int) -> bool {
    disposition::install(signal, entry as *const () as usize)
}

/// Upper end of the thread's own handler stack; 0 if there is none. A thread without a record gets one, if such
/// threads are interrupted.
extern "C" fn stack() -> usize {
    let thread = if sampling::takes_in() {
        current_thread::get_or_in_handler(threads::take_in_handler)
    } else {
        current_thread::me()
    };
    thread.map_or(0, Thread::handler_stack)
}
