//! Cache lines that are about to be written.
#![allow(unsafe_code)] // inline assembly

use std::arch::asm;

/// Asks for the cache line at the target's address, to write to it soon: it leaves the other processors' caches meanwhile.
/// Async-signal-safe; a hint without other effects.
#[inline(always)]
pub fn fetch_to_write<T>(target: &T) {
    // SAFETY: a prefetch has no effect but in caches, and never faults (Arm Architecture Reference Manual, PRFM).
    unsafe { asm!("prfm pstl1keep, [{}]", in(reg) target, options(nostack, preserves_flags, readonly)) };
}
