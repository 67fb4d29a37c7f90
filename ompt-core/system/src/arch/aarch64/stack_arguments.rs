//! Calls with any number of arguments: entries that pass on the address of those after the sixth, and a function that makes such calls.
//!
//! Eight arguments come in registers. The entries put the last two of them below the others, so that all arguments from
//! the seventh on are contiguous (AAPCS64, "Parameter passing": each takes eight bytes of the stack).
#![allow(unsafe_code)] // naked functions

/// Assembly text that calls `{to}` with the first six arguments and the address of the others as the seventh. `$eighth`
/// is the register that has the eighth argument. It has unwind information (CFI).
#[doc(hidden)]
#[macro_export]
macro_rules! call_with_row {
    ($eighth:literal) => {
        concat!(
            "stp x6, ",
            $eighth,
            ", [sp, #-16]!\n",
            ".cfi_adjust_cfa_offset 16\n",
            "mov x6, sp\n",
            "stp x29, x30, [sp, #-16]!\n",
            ".cfi_adjust_cfa_offset 16\n",
            ".cfi_rel_offset x29, 0\n",
            ".cfi_rel_offset x30, 8\n",
            "mov x29, sp\n",
            "bl {to}\n",
            "ldp x29, x30, [sp], #16\n",
            ".cfi_adjust_cfa_offset -16\n",
            ".cfi_restore x29\n",
            ".cfi_restore x30\n",
            "add sp, sp, #16\n",
            ".cfi_adjust_cfa_offset -16\n",
            "ret\n",
            ".cfi_endproc",
        )
    };
}

/// [`pass_operand!`](crate::pass_operand) for six arguments in registers and any number of further ones. It calls `$to`
/// with two more arguments: the seventh is the address of the further ones, the eighth is the address that it passes
/// on. It has unwind information (CFI).
#[macro_export]
macro_rules! pass_operand_with_stack_arguments {
    ($name:ident, $to:path) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                ".cfi_startproc",
                "mov x10, x7",
                "mov x7, x9",
                $crate::call_with_row!("x10"),
                to = sym $to,
            )
        }
    };
}

/// [`pass_operand_with_stack_arguments!`](crate::pass_operand_with_stack_arguments) that also records the call site.
#[macro_export]
macro_rules! record_and_pass_operand_with_stack_arguments {
    ($name:ident, $words:literal, $call:literal, $to:path) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                ".cfi_startproc",
                $crate::store_call_site!($words, $call),
                "mov x10, x7",
                "mov x7, x9",
                $crate::call_with_row!("x10"),
                to = sym $to,
            )
        }
    };
}

/// A trampoline that calls `$to` with its first six arguments and, as a seventh one, the address of the others. For
/// functions that take any number of words. It has unwind information (CFI).
#[macro_export]
macro_rules! call_with_stack_arguments {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<const $a:ident: usize>, $to:path) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name<const $a: usize>() {
            ::std::arch::naked_asm!(".cfi_startproc", $crate::call_with_row!("x7"), to = sym $to)
        }
    };
}

/// Calls a function that takes any number of words: six from `first`, and `count` from `rest`, at least two.
///
/// # Safety
/// The function may be called with these arguments, and `rest` points to `count` of them.
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn call_with_numbers(
    function: *const (),
    first: &[i64; 6],
    rest: *const i64,
    count: usize,
) {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        ".cfi_def_cfa_register x29",
        "mov x9, x0",
        "mov x10, x1",
        "ldp x6, x7, [x2], #16",
        "sub x3, x3, #2",
        "add x11, x3, #1",
        "and x11, x11, #-2",
        "sub sp, sp, x11, lsl #3",
        "mov x12, sp",
        "2:",
        "cbz x3, 3f",
        "ldr x13, [x2], #8",
        "str x13, [x12], #8",
        "sub x3, x3, #1",
        "b 2b",
        "3:",
        "ldp x4, x5, [x10, #32]",
        "ldp x2, x3, [x10, #16]",
        "ldp x0, x1, [x10]",
        "blr x9",
        "mov sp, x29",
        ".cfi_def_cfa_register sp",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_endproc",
    )
}
