//! Registers in DWARF's numbering (psABI, "DWARF Register Number Mapping"), for walks through frames.
#![allow(unsafe_code)] // inline assembly

use std::arch::asm;

/// The columns of the registers that a function restores, besides stack and frame pointer: rbx and r12 to r15 (psABI, 3.2.1).
pub const CALLEE_SAVED: [u16; 5] = [3, 12, 13, 14, 15];
/// The number of DWARF register columns.
pub const DWARF_REGISTERS: usize = 17;
/// The frame pointer's column.
pub const FRAME_POINTER: u16 = 6;
/// The stack pointer's column.
pub const STACK_POINTER: u16 = 7;
/// The return address's column.
pub const RETURN_ADDRESS: u16 = 16;
/// The column of the instruction pointer: a caller's is the return address.
pub const INSTRUCTION_POINTER: u16 = RETURN_ADDRESS;
/// Number of bytes that a call pushes onto the stack: the return address.
pub const CALL_PUSHES: u64 = 8;
/// Size of the red zone: bytes below the stack pointer that belong to the innermost function (psABI, "The Stack Frame").
pub const RED_ZONE: u64 = 128;

/// True if functions sign the return address that they store, and have an unwinding rule that says so.
pub const SIGNS_RETURNS: bool = false;
/// The code by which signal handlers return to the kernel, if it lacks unwinding rules: C libraries have some.
pub const SIGNAL_RETURN: Option<u64> = None;
/// Distances from the stack pointer at that code to the interrupted code's instruction, stack and frame pointers, if
/// unwinding rules don't lead to them: here they do.
pub const SIGNAL_FRAME: Option<[u64; 3]> = None;

/// The registers' positions in the kernel's `gregs` (`mcontext_t`), in DWARF's order.
const GREGS: [libc::c_int; DWARF_REGISTERS] = [
    libc::REG_RAX,
    libc::REG_RDX,
    libc::REG_RCX,
    libc::REG_RBX,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_RBP,
    libc::REG_RSP,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
    libc::REG_RIP,
];

/// The registers of the code that a signal has interrupted, in DWARF's order. Async-signal-safe.
pub fn interrupted(context: &libc::ucontext_t) -> [u64; DWARF_REGISTERS] {
    let mut values = [0; DWARF_REGISTERS];
    for (value, place) in values.iter_mut().zip(GREGS) {
        let found = usize::try_from(place).ok().and_then(|place| context.uc_mcontext.gregs.get(place));
        *value = found.map_or(0, |found| found.cast_unsigned());
    }
    values
}

/// Instruction, stack and frame pointers of the function into which this is inlined.
#[inline(always)]
pub fn here() -> [u64; 3] {
    let (ip, sp, bp);
    // SAFETY: copies registers.
    unsafe {
        asm!(
            "lea {0}, [rip]",
            "mov {1}, rsp",
            "mov {2}, rbp",
            out(reg) ip,
            out(reg) sp,
            out(reg) bp,
            options(nomem, nostack, preserves_flags),
        );
    }
    [ip, sp, bp]
}

/// The code address of a saved return address: the same address.
#[inline(always)]
pub const fn code_address(saved: u64) -> u64 {
    saved
}

/// Defines a signal handler (`SA_SIGINFO`) that runs `$handler` on the stack whose upper end `$stack` returns. If that
/// is 0, the handler stays on the stack on which it was called.
///
/// It takes ten words of the interrupted stack, or of the alternate one, in addition to the kernel's frame.
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
                stack = sym $stack,
                handler = sym $handler,
            )
        }
    };
}
