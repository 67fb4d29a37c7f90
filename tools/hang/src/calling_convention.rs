//! Registers with a role in calls, according to the calling convention of the processor.

use system::arch::MACHINE;

/// Registers with a role, for one processor, by its numbers.
pub(crate) struct Roles {
    pub(crate) stack: u8,
    pub(crate) base: u8,
    /// The first three arguments of a call.
    pub(crate) arguments: [u8; 3],
    pub(crate) result: u8,
    /// True for callee-saved registers.
    pub(crate) is_kept: fn(u8) -> bool,
}

/// The roles on x86-64 (System V psABI, AMD64, 3.2.1; numbers: Intel SDM, volume 2, 3.1.1). rbx, rsp, rbp, and r12 to r15 are
/// callee-saved. Debug information numbers these in the same way, except for rsp and rbp (figure 3.36).
const X86_64: Roles =
    Roles { stack: 4, base: 5, arguments: [7, 6, 2], result: 0, is_kept: |number| matches!(number, 3..=5 | 12..=15) };

/// The roles on 64-bit ARM (AAPCS64, 6.1.1). Debug information has the same numbers.
const AARCH64: Roles =
    Roles { stack: 31, base: 29, arguments: [0, 1, 2], result: 0, is_kept: |number| matches!(number, 19..=29 | 31) };

/// The roles on this processor.
pub(crate) fn roles() -> &'static Roles {
    if MACHINE == "aarch64" { &AARCH64 } else { &X86_64 }
}
