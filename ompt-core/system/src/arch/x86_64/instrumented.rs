//! Entries in assembly that instrumented code calls: a test of a flags byte, then a return or a jump. `$words` and
//! `$call` are as in `trampolines`; the call site is recorded where the byte `$flags` has a bit of `$noting`.

/// A trampoline that jumps to the address in a word: `$table` is a static, and the word is `$offset` bytes into it.
#[macro_export]
macro_rules! flagged_jump_through {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $flags:path, $noting:expr, $words:literal, $call:literal, $table:path, $offset:expr) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                "test byte ptr [rip + {flags}], {noting}",
                "jz 2f",
                $crate::store_call_site!($words, $call),
                "2:",
                "jmp qword ptr [rip + {table} + {offset}]",
                flags = sym $flags,
                noting = const $noting,
                table = sym $table,
                offset = const $offset,
            )
        }
    };
}

/// A trampoline for two arguments that jumps to `$to`, which gets the address of the caller's frame as a third one.
#[macro_export]
macro_rules! flagged_jump_with_frame {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $flags:path, $noting:expr, $words:literal, $call:literal, $to:path) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C-unwind" fn $name() {
            ::std::arch::naked_asm!(
                "test byte ptr [rip + {flags}], {noting}",
                "jz 2f",
                $crate::store_call_site!($words, $call),
                "2:",
                "lea rdx, [rsp + 8]",
                "jmp {to}",
                flags = sym $flags,
                noting = const $noting,
                to = sym $to,
            )
        }
    };
}

/// A trampoline for five arguments. If the byte `$flags` lacks all bits of `$wanted`, it does what `$off` names and
/// returns. Otherwise it jumps to `$to`, which gets the address of the caller's frame as a sixth argument. `$arguments`
/// names the way in which the arguments are passed.
#[macro_export]
macro_rules! flagged_entry {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $arguments:ident, $off:ident, $flags:path, $wanted:expr, $noting:expr, $words:literal, $call:literal, $to:path) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C-unwind" fn $name() {
            ::std::arch::naked_asm!(
                $crate::by_value!($arguments),
                "test byte ptr [rip + {flags}], {wanted}",
                "jne 2f",
                $crate::store_zero!($off),
                "ret",
                "2:",
                "lea r9, [rsp + 8]",
                "test byte ptr [rip + {flags}], {noting}",
                "jz 3f",
                $crate::store_call_site!($words, $call),
                "3:",
                "jmp {to}",
                flags = sym $flags,
                wanted = const $wanted,
                noting = const $noting,
                to = sym $to,
            )
        }
    };
}

/// Assembly text that stores 0 in the words that these arguments point to.
#[doc(hidden)]
#[macro_export]
macro_rules! store_zero {
    (nothing) => {
        ""
    };
    (second) => {
        "mov qword ptr [rsi], 0"
    };
    (second_and_third) => {
        "mov qword ptr [rsi], 0\nmov qword ptr [rdx], 0"
    };
    (fourth) => {
        "mov qword ptr [rcx], 0"
    };
}

/// Assembly text that replaces arguments which point to values, as Fortran passes them, by the values.
#[doc(hidden)]
#[macro_export]
macro_rules! by_value {
    (same) => {
        ""
    };
    (second) => {
        "mov rsi, qword ptr [rsi]"
    };
    (if_and_threads) => {
        "movsxd rsi, dword ptr [rsi]\nmovsxd rdx, dword ptr [rdx]"
    };
    (if_clause) => {
        "movsxd rcx, dword ptr [rcx]"
    };
    (no_string) => {
        "xor esi, esi"
    };
}
