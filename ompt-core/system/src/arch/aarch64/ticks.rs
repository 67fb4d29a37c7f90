//! The processor's time counter.
#![allow(unsafe_code)] // inline assembly

use std::arch::asm;

/// The kernel's name for the clock source that reads this counter.
pub const COUNTER_SOURCE: &str = "arch_sys_counter";

/// The counter now. All processors share one value (Arm ARM, "The Generic Timer").
#[inline]
pub fn counter() -> u64 {
    let count;
    // SAFETY: copies a register that Linux lets programs read (it emulates the access where the register is unreliable).
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack, preserves_flags)) };
    count
}

/// The counter, read after all earlier instructions of the program have completed and before any later one starts. Without this the
/// processor may reorder the read.
#[inline]
pub fn counter_in_order() -> u64 {
    let count;
    // SAFETY: separates earlier and later instructions (Arm ARM, "ISB"), and copies the register as `counter` does.
    unsafe { asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) count, options(nostack, preserves_flags)) };
    count
}

/// True if the counter never stops or changes its rate: the architecture guarantees it.
pub fn is_counter_steady(_cpuinfo: &str) -> bool {
    true
}
