//! Registers of the calling thread.
#![allow(unsafe_code)] // inline assembly

use std::arch::asm;

/// The thread pointer, which no other living thread shares. Async-signal-safe.
#[inline]
pub fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: copies a register (ELF for the Arm 64-bit Architecture, "Thread Local Storage").
    unsafe { asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

/// The stack pointer, roughly at the end of the calling function's frame: the frames of its callers are above, those of
/// its callees below.
#[inline(always)]
pub fn stack_pointer() -> usize {
    let pointer;
    // SAFETY: copies a register.
    unsafe { asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}
