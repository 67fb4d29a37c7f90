//! Entries that show a call's arguments to a function, then jump to the function that the call is for.

/// Number of the word that has a call's argument `number`, counted from 0, among those that an
/// [`observed_call!`](crate::observed_call) shows: eight in registers, the return address and a gap, then the stack.
pub const fn argument_word(number: usize) -> usize {
    if number < 8 { number } else { number + 2 }
}

/// Number of the word that has the return address.
pub const RETURN_WORD: usize = 9;

/// An exported entry that calls `$look` with the address of the call's arguments, as words, and `$number`. It then jumps to the address
/// that `$look` returns, with the arguments as they now are in these words. To the target, the call seems to come from the program. No
/// argument may be a floating-point number.
#[macro_export]
macro_rules! observed_call {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $number:expr, $look:path) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                ".cfi_startproc",
                "sub sp, sp, #80",
                ".cfi_def_cfa_offset 80",
                "stp x0, x1, [sp]",
                "stp x2, x3, [sp, #16]",
                "stp x4, x5, [sp, #32]",
                "stp x6, x7, [sp, #48]",
                "stp x29, x30, [sp, #64]",
                ".cfi_offset x29, -16",
                ".cfi_offset x30, -8",
                "mov x0, sp",
                "mov x1, {number}",
                "bl {look}",
                "mov x16, x0",
                "ldp x0, x1, [sp]",
                "ldp x2, x3, [sp, #16]",
                "ldp x4, x5, [sp, #32]",
                "ldp x6, x7, [sp, #48]",
                "ldp x29, x30, [sp, #64]",
                "add sp, sp, #80",
                ".cfi_def_cfa_offset 0",
                ".cfi_restore x29",
                ".cfi_restore x30",
                "br x16",
                ".cfi_endproc",
                number = const $number,
                look = sym $look,
            )
        }
    };
}
