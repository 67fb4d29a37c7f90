//! Calls with any number of arguments: entries that pass on the address of those after the sixth, and a function that makes such calls.
#![allow(unsafe_code)] // naked functions

/// [`pass_operand!`](crate::pass_operand) for six arguments in registers and any number of further ones. It calls `$to`
/// with two more arguments: the seventh is the address of those on the stack, the eighth is the address that it passes
/// on. It has unwind information (CFI).
#[macro_export]
macro_rules! pass_operand_with_stack_arguments {
    ($name:ident, $to:path) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                ".cfi_startproc",
                "lea rax, [rsp + 8]",
                "sub rsp, 8",
                ".cfi_adjust_cfa_offset 8",
                "push r11",
                ".cfi_adjust_cfa_offset 8",
                "push rax",
                ".cfi_adjust_cfa_offset 8",
                "call {to}",
                "add rsp, 24",
                ".cfi_adjust_cfa_offset -24",
                "ret",
                ".cfi_endproc",
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
                "mov rax, r11",
                $crate::store_call_site!($words, $call),
                "lea r11, [rsp + 8]",
                "sub rsp, 8",
                ".cfi_adjust_cfa_offset 8",
                "push rax",
                ".cfi_adjust_cfa_offset 8",
                "push r11",
                ".cfi_adjust_cfa_offset 8",
                "call {to}",
                "add rsp, 24",
                ".cfi_adjust_cfa_offset -24",
                "ret",
                ".cfi_endproc",
                to = sym $to,
            )
        }
    };
}

/// A trampoline that calls `$to` with its own arguments and, as a seventh one, the address of those that it got on the
/// stack. For functions that take up to six numbers in registers and any number of further ones. It has unwind
/// information (CFI).
#[macro_export]
macro_rules! call_with_stack_arguments {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<const $a:ident: usize>, $to:path) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name<const $a: usize>() {
            ::std::arch::naked_asm!(
                ".cfi_startproc",
                "lea rax, [rsp + 8]",
                "push rax",
                ".cfi_adjust_cfa_offset 8",
                "call {to}",
                "add rsp, 8",
                ".cfi_adjust_cfa_offset -8",
                "ret",
                ".cfi_endproc",
                to = sym $to,
            )
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
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov r11, rdi",
        "mov r10, rsi",
        "mov rsi, rdx",
        // The words on the stack start at a multiple of 16.
        "lea rax, [8 * rcx]",
        "sub rsp, rax",
        "and rsp, -16",
        "mov rdi, rsp",
        "rep movsq",
        "mov rdi, qword ptr [r10]",
        "mov rsi, qword ptr [r10 + 8]",
        "mov rdx, qword ptr [r10 + 16]",
        "mov rcx, qword ptr [r10 + 24]",
        "mov r8, qword ptr [r10 + 32]",
        "mov r9, qword ptr [r10 + 40]",
        // No argument is in a vector register.
        "xor eax, eax",
        "call r11",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}
