//! Where the signal comes in: on a stack of our own. Unsafe: changing stacks.
//!
//! A handler runs on the thread's alternate stack, if it has one, and many have room for little more than the kernel's frame
//! (Rust programs' for instance). So ours takes a few words of it only. All other signals are blocked meanwhile: the kernel
//! wouldn't know that the alternate stack is in use.
#![allow(unsafe_code)]

use std::arch::naked_asm;
use std::ffi::{c_int, c_void};

use crate::sample;
use crate::threads;

/// The handler, for SA_SIGINFO.
#[unsafe(naked)]
pub(crate) extern "C" fn entry(signal: c_int, info: *const libc::siginfo_t, context: *mut c_void) {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rdx",
        "call {stack}",
        "pop rdx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "test rax, rax",
        "jz 2f",
        "mov rsp, rax",
        "2:",
        "call {handler}",
        "mov rsp, rbp",
        "pop rbp",
        "ret",
        stack = sym stack,
        handler = sym sample::on_signal,
    )
}

/// The upper end of the thread's own stack for this; 0: none.
extern "C" fn stack() -> usize {
    threads::me().map_or(0, threads::Thread::handler_stack)
}
