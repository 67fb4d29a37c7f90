//! Entries in assembly that instrumented code calls: a test of a flags byte, then a return or a jump. `$words` and
//! `$call` are as in `trampolines`; the call site is recorded where the byte `$flags` has a bit of `$noting`.

/// Assembly text that tests bits of the byte `{flags}`, loaded with acquire: the zero flag is set if none of them is
/// set.
#[doc(hidden)]
#[macro_export]
macro_rules! test_flags {
    ($bits:literal) => {
        concat!(
            "adrp x16, {flags}\n",
            "add x16, x16, :lo12:{flags}\n",
            "ldarb w16, [x16]\n",
            "mov w17, #",
            $bits,
            "\n",
            "tst w16, w17\n",
        )
    };
}

/// A trampoline that jumps to the address in a word: `$table` is a static, and the word is `$offset` bytes into it.
#[macro_export]
macro_rules! flagged_jump_through {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $flags:path, $noting:expr, $words:literal, $call:literal, $table:path, $offset:expr) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                $crate::test_flags!("{noting}"),
                "b.eq 2f",
                $crate::store_call_site!($words, $call),
                "2:",
                $crate::jump_by_word!("{table} + {offset}"),
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
                $crate::test_flags!("{noting}"),
                "b.eq 2f",
                $crate::store_call_site!($words, $call),
                "2:",
                "mov x2, sp",
                "b {to}",
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
                $crate::test_flags!("{wanted}"),
                "b.ne 2f",
                $crate::store_zero!($off),
                "ret",
                "2:",
                "mov x5, sp",
                "mov w17, #{noting}",
                "tst w16, w17",
                "b.eq 3f",
                $crate::store_call_site!($words, $call),
                "3:",
                "b {to}",
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
        "str xzr, [x1]"
    };
    (second_and_third) => {
        "str xzr, [x1]\nstr xzr, [x2]"
    };
    (fourth) => {
        "str xzr, [x3]"
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
        "ldr x1, [x1]"
    };
    (if_and_threads) => {
        "ldrsw x1, [x1]\nldrsw x2, [x2]"
    };
    (if_clause) => {
        "ldrsw x3, [x3]"
    };
    (no_string) => {
        "mov x1, xzr"
    };
}
