//! The stack that the calling thread runs on.
#![allow(unsafe_code)] // a system call

/// True in a signal handler that runs on an alternate stack (`SA_ONSTACK`). Async-signal-safe: one system call.
#[cold]
pub fn on_alternate_stack() -> bool {
    let mut now = libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: 0, ss_size: 0 };
    // SAFETY: only asks; `now` is ours to write.
    unsafe { libc::sigaltstack(std::ptr::null(), &raw mut now) };
    now.ss_flags & libc::SS_ONSTACK != 0
}
