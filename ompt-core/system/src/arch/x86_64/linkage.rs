//! Calls through a word of the global offset table, as entries of the procedure linkage table make them.
#![allow(unsafe_code)] // a naked function

/// Calls the function without arguments whose address is in `word`, and returns its result. An unbound word leads back
/// into its entry of the linkage table, which passes its number to the dynamic linker (psABI, "Procedure Linkage
/// Table").
///
/// # Safety
/// `word` belongs to an object that stays loaded, and is for a function that may be called as `int (void)`.
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn call_through(word: *const usize) -> i32 {
    std::arch::naked_asm!("jmp qword ptr [rdi]")
}
