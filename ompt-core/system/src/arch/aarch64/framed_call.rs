//! Calls of the program's outlined functions, with the caller's frame in the register of the frame pointer.
#![allow(unsafe_code)] // a naked function

use std::arch::naked_asm;

/// Calls a function of the program with its data. The canonical frame address of the call is written to `exit`, and in the register
/// of the frame pointer: a function with a frame pointer of its own keeps that address as its caller's. It has unwind
/// information (CFI).
///
/// # Safety
/// The function takes these data, and `exit` may be written.
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn call_with_frame(
    data: *mut usize,
    function: unsafe extern "C-unwind" fn(*mut usize),
    exit: *mut usize,
) {
    naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_adjust_cfa_offset 16",
        ".cfi_rel_offset x29, 0",
        ".cfi_rel_offset x30, 8",
        "add x29, sp, #16",
        "str x29, [x2]",
        "blr x1",
        "ldp x29, x30, [sp], #16",
        ".cfi_adjust_cfa_offset -16",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_endproc",
    )
}
