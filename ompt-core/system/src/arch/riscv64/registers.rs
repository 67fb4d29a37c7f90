//! Registers of the calling thread, and registers in DWARF's numbering (RISC-V DWARF specification), for walks through
//! frames.
#![allow(unsafe_code)] // inline assembly

use std::arch::asm;

/// The number of register columns: x0 to x31, and the program counter.
pub const DWARF_REGISTERS: usize = 33;
/// The return address's column: `ra`.
pub const RETURN_ADDRESS: u16 = 1;
/// The stack pointer's column.
pub const STACK_POINTER: u16 = 2;
/// The frame pointer's column: `s0`.
pub const FRAME_POINTER: u16 = 8;
/// The column of the instruction pointer, which no rule names.
pub const INSTRUCTION_POINTER: u16 = 32;
/// The bytes that a call puts on the stack: the return address stays in a register.
pub const CALL_PUSHES: u64 = 0;
/// Size of the red zone, bytes below the stack pointer that belong to the innermost function: there is none.
pub const RED_ZONE: u64 = 0;
/// True where functions sign the return address that they store, and have a rule that says so.
pub const SIGNS_RETURNS: bool = false;
/// The code at which signal handlers return to the kernel, where it has no rules.
pub const SIGNAL_RETURN: Option<u64> = None;
/// Distances from the stack pointer there to the interrupted code's registers, where the rules don't lead to it.
pub const SIGNAL_FRAME: Option<[u64; 3]> = None;

/// The thread pointer: a number that no other living thread has. Async-signal-safe.
#[inline]
pub fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: copies a register.
    unsafe { asm!("mv {}, tp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

/// The stack pointer, about the end of the calling function's frame: frames of its callers lie above, frames of its
/// callees below.
#[inline(always)]
pub fn stack_pointer() -> usize {
    let pointer;
    // SAFETY: copies a register.
    unsafe { asm!("mv {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

/// The processor's counter of time now.
#[inline]
pub fn counter() -> u64 {
    let count;
    // SAFETY: copies a register that Linux lets programs read.
    unsafe { asm!("rdtime {}", out(reg) count, options(nomem, nostack, preserves_flags)) };
    count
}

/// The same, between the memory accesses that come before in the program and those behind.
#[inline]
pub fn counter_in_order() -> u64 {
    let count;
    // SAFETY: separates the accesses before and behind, and copies the register as `counter` does.
    unsafe { asm!("fence", "rdtime {}", "fence", out(reg) count, options(nostack, preserves_flags)) };
    count
}

/// The registers of the code that a signal has interrupted, in DWARF's order. Async-signal-safe.
pub fn interrupted(context: &libc::ucontext_t) -> [u64; DWARF_REGISTERS] {
    let mut values = [0; DWARF_REGISTERS];
    // The kernel has the program counter in the place of x0, which is always 0.
    let [pc, registers @ ..] = &context.uc_mcontext.__gregs;
    let all = [&0].into_iter().chain(registers).chain([pc]);
    values.iter_mut().zip(all).for_each(|(value, register)| *value = *register);
    values
}

/// Instruction, stack and frame pointer of the function that this is inlined in.
#[inline(always)]
pub fn here() -> [u64; 3] {
    let (ip, sp, fp);
    // SAFETY: copies registers.
    unsafe {
        asm!(
            "auipc {0}, 0",
            "mv {1}, sp",
            "mv {2}, s0",
            out(reg) ip,
            out(reg) sp,
            out(reg) fp,
            options(nomem, nostack, preserves_flags),
        );
    }
    [ip, sp, fp]
}

/// The address of code in a saved return address: the same.
#[inline(always)]
pub const fn code_address(saved: u64) -> u64 {
    saved
}
