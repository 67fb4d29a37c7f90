//! Registers of the calling thread.
#![allow(unsafe_code)] // inline assembly

use std::arch::asm;

/// The thread pointer: a number that no other living thread has. Async-signal-safe.
#[inline]
pub fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: copies a register (ELF for the Arm 64-bit Architecture, "Thread Local Storage").
    unsafe { asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

/// The stack pointer, about the end of the calling function's frame: frames of its callers lie above, frames of its
/// callees below.
#[inline(always)]
pub fn stack_pointer() -> usize {
    let pointer;
    // SAFETY: copies a register.
    unsafe { asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}
