//! Calls by way of a word of the global offset table, as entries of the procedure linkage table make them.
#![allow(unsafe_code)] // a naked function

/// Calls the function without arguments whose address is in `word`, and returns its result. An unbound word leads back
/// into its entry of the linkage table, which tells the dynamic linker its number (psABI, "Procedure Linkage Table").
///
/// # Safety
/// `word` is one of an object that stays loaded, for a function that may be called as `int (void)`.
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn call_through(word: *const usize) -> i32 {
    std::arch::naked_asm!("jmp qword ptr [rdi]")
}
