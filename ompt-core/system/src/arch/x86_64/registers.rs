//! Registers of the calling thread.
#![allow(unsafe_code)] // inline assembly

use std::arch::asm;

/// The thread pointer, which no other living thread shares. Async-signal-safe: one load.
#[inline]
pub fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: the first word of the thread control block holds the thread pointer itself (ELF Handling For Thread-Local
    // Storage, 3.4.6).
    unsafe { asm!("mov {}, qword ptr fs:[0]", out(reg) pointer, options(nostack, preserves_flags, readonly, pure)) };
    pointer
}

/// The stack pointer, roughly at the end of the calling function's frame: the frames of its callers are above, those of
/// its callees below.
#[inline(always)]
pub fn stack_pointer() -> usize {
    let pointer;
    // SAFETY: copies a register.
    unsafe { asm!("mov {}, rsp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}
