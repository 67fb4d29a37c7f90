//! Trampolines in assembly between a program and the functions that report: an exported name that jumps through a word
//! of a table, and stubs that add something to a call. Each macro declares one naked function. Unless its comment says
//! otherwise, it preserves all registers in which a call passes arguments (AAPCS64, "General-purpose Registers").
//!
//! Words are loaded with acquire (`ldar`), and jumps go through x16, which a `bti c` at their target accepts.
//!
//! `$words` is the symbol of the [thread words](crate::thread_words) that record a call site; `$call` is the offset of
//! the first one, in bytes.

/// Bytes from one stub of a [`jump_table!`](crate::jump_table) or [`operand_jump_table!`](crate::operand_jump_table) to
/// the next.
pub const JUMP_BYTES: usize = 32;
/// Bytes from one stub of a [`recording_jump_table!`](crate::recording_jump_table) to the next.
pub const RECORDING_BYTES: usize = 64;
/// Bytes from one stub of a [`numbered_table!`](crate::numbered_table) to the next.
pub const NUMBERED_BYTES: usize = 16;
/// Bytes from one stub of a [`distance_table!`](crate::distance_table) to the next.
pub const DISTANCE_BYTES: usize = 16;

/// Assembly text that jumps to the address in the word at `$word`. Changes x16.
#[doc(hidden)]
#[macro_export]
macro_rules! jump_by_word {
    ($word:literal) => {
        concat!("adrp x16, ", $word, "\n", "add x16, x16, :lo12:", $word, "\n", "ldar x16, [x16]\n", "br x16\n",)
    };
}

/// A trampoline that jumps to the address in a word: `$table` is a static, and the word is `$offset` bytes into it.
#[macro_export]
macro_rules! jump_through {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $table:path, $offset:expr) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                $crate::jump_by_word!("{table} + {offset}"),
                table = sym $table,
                offset = const $offset,
            )
        }
    };
}

/// Jump table: `$count` stubs, `$distance` bytes apart, each of which jumps to the address in one word of the static
/// `$table`, starting at offset `$first`.
#[macro_export]
macro_rules! jump_table {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $table:path, $first:expr, $count:expr, $distance:expr) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                ".balign {distance}",
                ".set ora_word, {first}",
                ".rept {count}",
                $crate::jump_by_word!("{table} + ora_word"),
                ".balign {distance}",
                ".set ora_word, ora_word + 8",
                ".endr",
                distance = const $distance,
                first = const $first,
                count = const $count,
                table = sym $table,
            )
        }
    };
}

/// [`jump_table!`](crate::jump_table) whose stubs leave the address of a second word in x9, in which no call passes
/// anything. The second word is `$second` bytes after the word with the target's address. For
/// [`pass_operand!`](crate::pass_operand) and its variants.
#[macro_export]
macro_rules! operand_jump_table {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<const $g:ident: usize>, $table:path, $first:expr, $second:expr, $count:expr, $distance:expr) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name<const $g: usize>() {
            ::std::arch::naked_asm!(
                ".balign {distance}",
                ".set ora_word, {first}",
                ".rept {count}",
                "adrp x16, {table} + ora_word",
                "add x16, x16, :lo12:{table} + ora_word",
                "add x9, x16, #{second}",
                "ldar x16, [x16]",
                "br x16",
                ".balign {distance}",
                ".set ora_word, ora_word + 8",
                ".endr",
                distance = const $distance,
                first = const $first,
                second = const $second,
                count = const $count,
                table = sym $table,
            )
        }
    };
}

/// A trampoline that passes the address which an [`operand_jump_table!`](crate::operand_jump_table) has left on to
/// `$to` as its sixth argument, after up to five of its own.
#[macro_export]
macro_rules! pass_operand {
    ($name:ident, $to:path) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!("mov x5, x9", "b {to}", to = sym $to)
        }
    };
}

/// [`pass_operand!`](crate::pass_operand) that also records the call site.
#[macro_export]
macro_rules! record_and_pass_operand {
    ($name:ident, $words:literal, $call:literal, $to:path) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                "mov x5, x9",
                $crate::store_call_site!($words, $call),
                "b {to}",
                to = sym $to,
            )
        }
    };
}

/// [`jump_table!`](crate::jump_table) whose stubs record the call site before they jump.
#[macro_export]
macro_rules! recording_jump_table {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $words:literal, $call:literal, $table:path, $first:expr, $count:expr, $distance:expr) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                ".balign {distance}",
                ".set ora_word, {first}",
                ".rept {count}",
                $crate::store_call_site!($words, $call),
                $crate::jump_by_word!("{table} + ora_word"),
                ".balign {distance}",
                ".set ora_word, ora_word + 8",
                ".endr",
                distance = const $distance,
                first = const $first,
                count = const $count,
                table = sym $table,
            )
        }
    };
}

/// A trampoline that records the call site and jumps to `$to`.
#[macro_export]
macro_rules! record_and_jump {
    ($(#[$meta:meta])* $vis:vis fn $name:ident$(<const $g:ident: usize>)?($($argument:ident: $type:ty),*) $(-> $result:ty)?, $words:literal, $call:literal, $to:path) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C-unwind" fn $name$(<const $g: usize>)?($($argument: $type),*) $(-> $result)? {
            ::std::arch::naked_asm!($crate::store_call_site!($words, $call), "b {to}", to = sym $to)
        }
    };
}

/// [`record_and_jump!`](crate::record_and_jump) that records the call site only where the thread has recorded one
/// before; elsewhere it only jumps.
#[macro_export]
macro_rules! record_again_and_jump {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $words:literal, $call:literal, $to:path) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                $crate::thread_words_address!($words, "x16", "x17"),
                concat!("ldr x16, [x16, #", $call, "]"),
                "cbz x16, 2f",
                $crate::store_call_site!($words, $call),
                "2:",
                "b {to}",
                to = sym $to,
            )
        }
    };
}

/// A trampoline that passes the number `$number` on to a [`resolver!`](crate::resolver).
#[macro_export]
macro_rules! numbered {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<const $number:ident: usize>, $resolver:path) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name<const $number: usize>() {
            ::std::arch::naked_asm!(
                "mov x9, #{number}",
                "b {resolver}",
                number = const $number,
                resolver = sym $resolver,
            )
        }
    };
}

/// `$count` stubs, `$distance` bytes apart, each of which passes its own number, counted from 0, to a
/// [`resolver!`](crate::resolver).
#[macro_export]
macro_rules! numbered_table {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $count:expr, $distance:expr, $resolver:path) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                ".balign {distance}",
                ".set ora_number, 0",
                ".rept {count}",
                "mov x9, #ora_number",
                "b {resolver}",
                ".balign {distance}",
                ".set ora_number, ora_number + 1",
                ".endr",
                distance = const $distance,
                count = const $count,
                resolver = sym $resolver,
            )
        }
    };
}

/// A lazy-binding resolver: asks `$find` for the target of a call, and jumps there with all arguments unchanged.
/// `$find` gets a number (see [`numbered!`](crate::numbered)), the call's return address and its first argument.
#[macro_export]
macro_rules! resolver {
    ($(#[$meta:meta])* fn $name:ident, $find:path) => {
        // x9 has the number. All general registers that may hold arguments are preserved, including x8: the address of
        // a result.
        $(#[$meta])*
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                ".cfi_startproc",
                "stp x29, x30, [sp, #-96]!",
                ".cfi_def_cfa_offset 96",
                ".cfi_offset x29, -96",
                ".cfi_offset x30, -88",
                "mov x29, sp",
                "stp x0, x1, [sp, #16]",
                "stp x2, x3, [sp, #32]",
                "stp x4, x5, [sp, #48]",
                "stp x6, x7, [sp, #64]",
                "str x8, [sp, #80]",
                "mov x2, x0",
                "mov x1, x30",
                "mov x0, x9",
                "bl {find}",
                "mov x16, x0",
                "ldr x8, [sp, #80]",
                "ldp x6, x7, [sp, #64]",
                "ldp x4, x5, [sp, #48]",
                "ldp x2, x3, [sp, #32]",
                "ldp x0, x1, [sp, #16]",
                "ldp x29, x30, [sp], #96",
                ".cfi_def_cfa_offset 0",
                ".cfi_restore x29",
                ".cfi_restore x30",
                "br x16",
                ".cfi_endproc",
                find = sym $find,
            )
        }
    };
}

/// Stubs of 16 bytes that call `$to` with their own argument, an address, and a second address that follows it: stub n
/// adds n times `$step` bytes, for n up to `$fine`; `coarse` adds 80 stubs, four between every two powers of two.
#[macro_export]
macro_rules! distance_table {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $fine:expr, $step:expr, $to:path) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                $crate::distance_stubs!(),
                fine = const $fine,
                step = const $step,
                to = sym $to,
            )
        }
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $fine:expr, $step:expr, $to:path, coarse) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                $crate::distance_stubs!(),
                ".set ora_quarter, {fine} * {step} / 4",
                ".rept 20",
                ".set ora_distance, ora_quarter * 5",
                ".rept 4",
                "movz x1, #(ora_distance & 0xffff)",
                "movk x1, #(ora_distance >> 16), lsl #16",
                "add x1, x0, x1",
                "b {to}",
                ".set ora_distance, ora_distance + ora_quarter",
                ".endr",
                ".set ora_quarter, ora_quarter * 2",
                ".endr",
                fine = const $fine,
                step = const $step,
                to = sym $to,
            )
        }
    };
}

/// Assembly text of the stubs with which both kinds of [`distance_table!`](crate::distance_table) begin.
#[doc(hidden)]
#[macro_export]
macro_rules! distance_stubs {
    () => {
        concat!(
            ".balign 16\n",
            ".set ora_distance, 0\n",
            ".rept {fine} + 1\n",
            "add x1, x0, #ora_distance\n",
            "b {to}\n",
            ".balign 16\n",
            ".set ora_distance, ora_distance + {step}\n",
            ".endr",
        )
    };
}

/// The distance that a stub of a [`distance_table!`](crate::distance_table) adds.
pub fn added_distance(stub: [u8; DISTANCE_BYTES]) -> Option<usize> {
    let (words, _) = stub.as_chunks();
    let [first, second, third, _] = *words else { return None };
    let [first, second, third] = [first, second, third].map(u32::from_le_bytes);
    let number = |instruction: u32| (instruction >> 5 & 0xffff) as usize;
    // `add x1, x0, #distance`
    if first & 0xffc0_03ff == 0x9100_0001 {
        return Some((first >> 10 & 0xfff) as usize);
    }
    // `movz x1, #low; movk x1, #high, lsl #16; add x1, x0, x1`
    let loads = first & 0xffe0_001f == 0xd280_0001 && second & 0xffe0_001f == 0xf2a0_0001 && third == 0x8b01_0001;
    loads.then(|| number(first) | number(second) << 16)
}
