//! The processor's counter of time.
#![allow(unsafe_code)] // inline assembly

use std::arch::asm;

/// The kernel's name of the clock source that is this counter.
pub const COUNTER_SOURCE: &str = "arch_sys_counter";

/// The counter now. All processors have the same (Arm ARM, "The Generic Timer").
#[inline]
pub fn counter() -> u64 {
    let count;
    // SAFETY: copies a register that Linux lets programs read (it emulates the access where the register is unreliable).
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack, preserves_flags)) };
    count
}

/// The same, once all that comes before in the program is done, and before anything behind it begins: the processor reads the counter
/// beside other instructions otherwise.
#[inline]
pub fn counter_in_order() -> u64 {
    let count;
    // SAFETY: separates the instructions before and behind (Arm ARM, "ISB"), and copies the register as `counter` does.
    unsafe { asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) count, options(nostack, preserves_flags)) };
    count
}

/// True if the counter never stops nor changes its pace: by the architecture it doesn't.
pub fn is_counter_steady(_cpuinfo: &str) -> bool {
    true
}
