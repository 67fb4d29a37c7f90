//! Entries that show a call's arguments to a function, then jump to the function that the call is for.

/// Number of the word that has a call's argument `number`, counted from 0, among those that an
/// [`observed_call!`](crate::observed_call) shows: six in registers, the return address, then the stack.
pub const fn argument_word(number: usize) -> usize {
    if number < 6 { number } else { number + 1 }
}

/// Number of the word that has the return address.
pub const RETURN_WORD: usize = 6;

/// An exported entry that calls `$look` with the address of the call's arguments, as words, and `$number`. It then jumps to the address
/// that `$look` returns, with the arguments as they now are in these words. To the target, the call seems to come from the program. No
/// argument may be a floating-point number.
#[macro_export]
macro_rules! observed_call {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $number:expr, $look:path) => {
        // Stack at entry: return address, further arguments. Seven words align it to 16 bytes for the call.
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                "push r9",
                "push r8",
                "push rcx",
                "push rdx",
                "push rsi",
                "push rdi",
                "push rax",
                "lea rdi, [rsp + 8]",
                "mov esi, {number}",
                "call {look}",
                "mov r11, rax",
                "pop rax",
                "pop rdi",
                "pop rsi",
                "pop rdx",
                "pop rcx",
                "pop r8",
                "pop r9",
                "jmp r11",
                number = const $number,
                look = sym $look,
            )
        }
    };
}
