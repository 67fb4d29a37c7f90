//! Trampolines in assembly between a program and the functions that report: an exported name that jumps through a word
//! of a table, and stubs that add something to a call. Each macro declares one naked function. Unless its comment says
//! otherwise, it preserves all registers in which a call passes arguments (psABI, "Parameter Passing").
//!
//! `$words` is the symbol of the [thread words](crate::thread_words) that record a call site; `$call` is the offset of
//! the first one, in bytes.

/// Bytes from one stub of a [`jump_table!`](crate::jump_table) or [`operand_jump_table!`](crate::operand_jump_table) to
/// the next.
pub const JUMP_BYTES: usize = 16;
/// Bytes from one stub of a [`recording_jump_table!`](crate::recording_jump_table) to the next.
pub const RECORDING_BYTES: usize = 64;
/// Bytes from one stub of a [`numbered_table!`](crate::numbered_table) to the next.
pub const NUMBERED_BYTES: usize = 16;
/// Bytes from one stub of a [`distance_table!`](crate::distance_table) to the next.
pub const DISTANCE_BYTES: usize = 16;

/// A trampoline that jumps to the address in a word: `$table` is a static, and the word is `$offset` bytes into it.
#[macro_export]
macro_rules! jump_through {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $table:path, $offset:expr) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                "jmp qword ptr [rip + {table} + {offset}]",
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
                "jmp qword ptr [rip + {table} + ora_word]",
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

/// [`jump_table!`](crate::jump_table) whose stubs leave the address of a second word in r11, in which no call passes
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
                "lea r11, [rip + {table} + ora_word + {second}]",
                "jmp qword ptr [rip + {table} + ora_word]",
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
            ::std::arch::naked_asm!("mov r9, r11", "jmp {to}", to = sym $to)
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
                "mov r9, r11",
                $crate::store_call_site!($words, $call),
                "jmp {to}",
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
                "jmp qword ptr [rip + {table} + ora_word]",
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
            ::std::arch::naked_asm!($crate::store_call_site!($words, $call), "jmp {to}", to = sym $to)
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
                concat!("mov r11, qword ptr [rip + ", $words, "@GOTTPOFF]"),
                concat!("cmp qword ptr fs:[r11 + ", $call, "], 0"),
                "je {to}",
                $crate::store_call_site!($words, $call),
                "jmp {to}",
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
                "push {number}",
                "jmp {resolver}",
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
                "push ora_number",
                "jmp {resolver}",
                ".balign {distance}, 0xcc",
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
        // Stack at entry: number, return address, arguments. All registers that may hold arguments are preserved (also
        // `al`, for variadic functions), and the stack is aligned to 16 bytes for the call.
        $(#[$meta])*
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            ::std::arch::naked_asm!(
                "push rax",
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "push r8",
                "push r9",
                "sub rsp, 8",
                "mov rdi, [rsp + 64]",
                "mov rsi, [rsp + 72]",
                "mov rdx, [rsp + 48]",
                "call {find}",
                "mov r11, rax",
                "add rsp, 8",
                "pop r9",
                "pop r8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "pop rax",
                "add rsp, 8",
                "jmp r11",
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
                "lea rsi, [rdi + ora_distance]",
                "jmp {to}",
                ".balign 16, 0xcc",
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
            "lea rsi, [rdi + ora_distance]\n",
            "jmp {to}\n",
            ".balign 16, 0xcc\n",
            ".set ora_distance, ora_distance + {step}\n",
            ".endr",
        )
    };
}

/// The distance that a stub of a [`distance_table!`](crate::distance_table) adds: `lea rsi, [rdi + n]`, with n encoded
/// in zero, one or four bytes.
pub fn added_distance(stub: [u8; DISTANCE_BYTES]) -> Option<usize> {
    match stub {
        [0x48, 0x8d, 0x37, ..] => Some(0),
        [0x48, 0x8d, 0x77, n, ..] => Some(n.into()),
        [0x48, 0x8d, 0xb7, a, b, c, d, ..] => Some(u32::from_le_bytes([a, b, c, d]) as usize),
        _ => None,
    }
}
