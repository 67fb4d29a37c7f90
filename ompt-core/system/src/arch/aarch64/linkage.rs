//! Calls through a word of the global offset table, as entries of the procedure linkage table make them.
#![allow(unsafe_code)] // a naked function

/// Calls the function without arguments whose address is in `word`, and returns its result. An unbound word leads to the
/// dynamic linker, which finds the word's own address in x16 (glibc, sysdeps/aarch64/dl-trampoline.S).
///
/// # Safety
/// `word` belongs to an object that stays loaded, and is for a function that may be called as `int (void)`.
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn call_through(word: *const usize) -> i32 {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        "mov x16, x0",
        "ldr x17, [x0]",
        "blr x17",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_endproc",
    )
}
