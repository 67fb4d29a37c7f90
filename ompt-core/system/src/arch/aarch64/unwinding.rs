//! Registers in DWARF's numbering (DWARF for the Arm 64-bit Architecture, "DWARF register names"), for walks through
//! frames.
#![allow(unsafe_code)] // inline assembly

use std::arch::asm;

/// The columns of the registers that a function restores, besides stack and frame pointer: x19 to x28 (AAPCS64, "General-purpose
/// Registers").
pub const CALLEE_SAVED: [u16; 10] = [19, 20, 21, 22, 23, 24, 25, 26, 27, 28];
/// The number of register columns: x0 to x30, the stack pointer, and the program counter.
pub const DWARF_REGISTERS: usize = 33;
/// The frame pointer's column.
pub const FRAME_POINTER: u16 = 29;
/// The return address's column: the link register.
pub const RETURN_ADDRESS: u16 = 30;
/// The stack pointer's column.
pub const STACK_POINTER: u16 = 31;
/// The column of the instruction pointer, which no rule names.
pub const INSTRUCTION_POINTER: u16 = 32;
/// Number of bytes that a call pushes onto the stack: none, as the return address stays in a register.
pub const CALL_PUSHES: u64 = 0;
/// Size of the red zone, the bytes below the stack pointer that belong to the innermost function: none (AAPCS64, "The
/// stack").
pub const RED_ZONE: u64 = 0;

/// True if functions sign the return address that they store, and have an unwinding rule that says so.
pub const SIGNS_RETURNS: bool = true;
/// The code by which signal handlers return to the kernel, lowest byte first: `mov x8, #139; svc #0` (Linux,
/// arch/arm64/kernel/vdso/sigreturn.S).
pub const SIGNAL_RETURN: Option<u64> = Some(0xd400_0001_d280_1168);
/// Distances from the stack pointer at that code to the interrupted code's instruction, stack and frame pointers, if
/// unwinding rules don't lead to them (Linux, `struct rt_sigframe`: a `siginfo_t` of 128 bytes, then a `ucontext_t`).
pub const SIGNAL_FRAME: Option<[u64; 3]> = Some([REGISTERS + 32 * 8, REGISTERS + 31 * 8, REGISTERS + 29 * 8]);
/// Distance from the stack pointer to x0.
const REGISTERS: u64 =
    128 + (std::mem::offset_of!(libc::ucontext_t, uc_mcontext) + std::mem::offset_of!(libc::mcontext_t, regs)) as u64;

/// The registers of the code that a signal has interrupted, in DWARF's order. Async-signal-safe.
pub fn interrupted(context: &libc::ucontext_t) -> [u64; DWARF_REGISTERS] {
    let machine = &context.uc_mcontext;
    let mut values = [0; DWARF_REGISTERS];
    let all = machine.regs.iter().chain([&machine.sp, &machine.pc]);
    values.iter_mut().zip(all).for_each(|(value, register)| *value = *register);
    values
}

/// Instruction, stack and frame pointers of the function into which this is inlined.
#[inline(always)]
pub fn here() -> [u64; 3] {
    let (ip, sp, fp);
    // SAFETY: copies registers.
    unsafe {
        asm!(
            "adr {0}, .",
            "mov {1}, sp",
            "mov {2}, x29",
            out(reg) ip,
            out(reg) sp,
            out(reg) fp,
            options(nomem, nostack, preserves_flags),
        );
    }
    [ip, sp, fp]
}

/// The code address of a saved return address, without its pointer authentication signature.
#[inline(always)]
pub fn code_address(saved: u64) -> u64 {
    let address;
    // SAFETY: changes a register. `xpaclri` is a hint, which processors without pointer authentication skip (Arm ARM,
    // "XPACLRI").
    unsafe { asm!("hint #7", inout("x30") saved => address, options(nomem, nostack, preserves_flags)) };
    address
}

/// Defines a signal handler (`SA_SIGINFO`) that runs `$handler` on the stack whose upper end `$stack` returns. If that
/// is 0, the handler stays on the stack on which it was called.
///
/// It takes six words of the interrupted stack, or of the alternate one, in addition to the kernel's frame.
#[macro_export]
macro_rules! signal_handler_on {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $stack:path, $handler:path) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis extern "C" fn $name(
            signal: ::std::ffi::c_int,
            info: *const $crate::siginfo_t,
            context: *mut ::std::ffi::c_void,
        ) {
            ::std::arch::naked_asm!(
                "stp x29, x30, [sp, #-48]!",
                "mov x29, sp",
                "stp x0, x1, [sp, #16]",
                "str x2, [sp, #32]",
                "bl {stack}",
                "mov x9, x0",
                "ldr x2, [sp, #32]",
                "ldp x0, x1, [sp, #16]",
                "cbz x9, 2f",
                "mov sp, x9",
                "2:",
                "bl {handler}",
                "mov sp, x29",
                "ldp x29, x30, [sp], #48",
                "ret",
                stack = sym $stack,
                handler = sym $handler,
            )
        }
    };
}
