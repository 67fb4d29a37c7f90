//! The entries that programs and libraries call: each declares one naked function, which says that the processor is not
//! supported yet and ends the process.
#![allow(unsafe_code)] // naked functions

/// Bytes from one stub of a [`jump_table!`](crate::jump_table) or [`operand_jump_table!`](crate::operand_jump_table) to
/// the next.
pub const JUMP_BYTES: usize = 16;
/// Bytes from one stub of a [`recording_jump_table!`](crate::recording_jump_table) to the next.
pub const RECORDING_BYTES: usize = 16;
/// Bytes from one stub of a [`numbered_table!`](crate::numbered_table) to the next.
pub const NUMBERED_BYTES: usize = 16;
/// Bytes from one stub of a [`distance_table!`](crate::distance_table) to the next.
pub const DISTANCE_BYTES: usize = 16;

/// Ends the process with a message.
pub extern "C" fn not_yet() -> ! {
    const MESSAGE: &str =
        "ora: riscv64 is not supported yet: its entries in ompt-core/system/src/arch/riscv64 are missing\n";
    // SAFETY: write(2) reads the message's bytes.
    unsafe { libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len()) };
    // SAFETY: abort(3) has no preconditions.
    unsafe { libc::abort() }
}

/// The distance that a stub of a [`distance_table!`](crate::distance_table) adds: stubs add none yet.
pub fn added_distance(_stub: [u8; DISTANCE_BYTES]) -> Option<usize> {
    None
}

/// Number of the word that has a call's argument `number`: eight in registers, then the stack.
pub const fn argument_word(number: usize) -> usize {
    number
}

/// Number of the word that has the return address: none yet.
pub const RETURN_WORD: usize = 0;

/// An exported entry that shows the arguments of a call: not yet.
#[macro_export]
macro_rules! observed_call {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $number:expr, $look:path) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name() }
    };
}

/// Calls a function that takes any number of words: not yet.
///
/// # Safety
/// None: it ends the process.
pub unsafe extern "C-unwind" fn call_with_numbers(
    _function: *const (),
    _first: &[i64; 6],
    _rest: *const i64,
    _count: usize,
) {
    not_yet()
}

/// Calls the function without arguments whose address is in a word: not yet.
///
/// # Safety
/// None: it ends the process.
pub unsafe extern "C-unwind" fn call_through(_word: *const usize) -> i32 {
    not_yet()
}

/// Declares one function that says that there is none yet; with a count and a distance, so many.
#[doc(hidden)]
#[macro_export]
macro_rules! not_yet {
    ($(#[$meta:meta])* $vis:vis fn $name:ident $(<const $g:ident: usize>)? ($($argument:ident: $type:ty),*) $(-> $result:ty)?) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C-unwind" fn $name$(<const $g: usize>)?($($argument: $type),*) $(-> $result)? {
            ::std::arch::naked_asm!("tail {not_yet}", not_yet = sym $crate::arch::not_yet)
        }
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident $(<const $g:ident: usize>)?, $count:expr, $distance:expr) => {
        $(#[$meta])*
        #[unsafe(naked)]
        $vis unsafe extern "C" fn $name$(<const $g: usize>)?() {
            ::std::arch::naked_asm!(
                ".balign {distance}",
                ".rept {count}",
                "tail {not_yet}",
                ".balign {distance}",
                ".endr",
                count = const $count,
                distance = const $distance,
                not_yet = sym $crate::arch::not_yet,
            )
        }
    };
}

/// A trampoline that jumps to the address in a word: `$table` is a static, the word lies `$offset` bytes into it.
#[macro_export]
macro_rules! jump_through {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $table:path, $offset:expr) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name() }
    };
}

/// Jump table: `$count` stubs, `$distance` bytes apart, each of which jumps to the address in one word of the static
/// `$table`, from `$first` bytes on.
#[macro_export]
macro_rules! jump_table {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $table:path, $first:expr, $count:expr, $distance:expr) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name, $count, $distance }
    };
}

/// [`jump_table!`](crate::jump_table) whose stubs leave the address of a second word in a register, which no call passes
/// anything in: `$second` bytes behind that of the address. For [`pass_operand!`](crate::pass_operand) and its
/// variants.
#[macro_export]
macro_rules! operand_jump_table {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<const $g:ident: usize>, $table:path, $first:expr, $second:expr, $count:expr, $distance:expr) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name<const $g: usize>, $count, $distance }
    };
}

/// A trampoline that passes the address which a [`operand_jump_table!`](crate::operand_jump_table) has left on to
/// `$to`, as its sixth argument behind up to five of its own.
#[macro_export]
macro_rules! pass_operand {
    ($name:ident, $to:path) => {
        $crate::not_yet! { fn $name() }
    };
}

/// [`pass_operand!`](crate::pass_operand) that records the call site, too.
#[macro_export]
macro_rules! record_and_pass_operand {
    ($name:ident, $words:literal, $call:literal, $to:path) => {
        $crate::not_yet! { fn $name() }
    };
}

/// [`jump_table!`](crate::jump_table) whose stubs record the call site before they jump.
#[macro_export]
macro_rules! recording_jump_table {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $words:literal, $call:literal, $table:path, $first:expr, $count:expr, $distance:expr) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name, $count, $distance }
    };
}

/// A trampoline that records the call site and jumps to `$to`.
#[macro_export]
macro_rules! record_and_jump {
    ($(#[$meta:meta])* $vis:vis fn $name:ident$(<const $g:ident: usize>)?($($argument:ident: $type:ty),*) $(-> $result:ty)?, $words:literal, $call:literal, $to:path) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name$(<const $g: usize>)?($($argument: $type),*) $(-> $result)? }
    };
}

/// [`record_and_jump!`](crate::record_and_jump) that records the call site only where the thread has recorded one
/// before; elsewhere it only jumps.
#[macro_export]
macro_rules! record_again_and_jump {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $words:literal, $call:literal, $to:path) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name() }
    };
}

/// A trampoline that passes the number `$number` on to a [`resolver!`](crate::resolver).
#[macro_export]
macro_rules! numbered {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<const $number:ident: usize>, $resolver:path) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name<const $number: usize>() }
    };
}

/// `$count` stubs, `$distance` bytes apart, each of which passes its own number, from 0 on, to a
/// [`resolver!`](crate::resolver).
#[macro_export]
macro_rules! numbered_table {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $count:expr, $distance:expr, $resolver:path) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name, $count, $distance }
    };
}

/// A lazy-binding resolver: asks `$find` for the target of a call, and jumps there with all arguments as they were.
/// `$find` gets a number (see [`numbered!`](crate::numbered)), the call's return address and its first argument.
#[macro_export]
macro_rules! resolver {
    ($(#[$meta:meta])* fn $name:ident, $find:path) => {
        $crate::not_yet! { $(#[$meta])* fn $name() }
    };
}

/// Stubs of 16 bytes that call `$to` with their own argument, an address, and a second one that lies behind it: stub n
/// at a distance of n times `$step` bytes, for n up to `$fine`; with `coarse`, 80 more, four between each two powers of
/// two.
#[macro_export]
macro_rules! distance_table {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $fine:expr, $step:expr, $to:path) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name, $fine + 1, $crate::arch::DISTANCE_BYTES }
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $fine:expr, $step:expr, $to:path, coarse) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name, $fine + 81, $crate::arch::DISTANCE_BYTES }
    };
}

/// A trampoline that jumps to the address in a word: `$table` is a static, the word lies `$offset` bytes into it.
#[macro_export]
macro_rules! flagged_jump_through {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $flags:path, $noting:expr, $words:literal, $call:literal, $table:path, $offset:expr) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name() }
    };
}

/// A trampoline for two arguments that jumps to `$to`, which gets the address of the caller's frame as a third one.
#[macro_export]
macro_rules! flagged_jump_with_frame {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $flags:path, $noting:expr, $words:literal, $call:literal, $to:path) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name() }
    };
}

/// A trampoline for five arguments. Where the byte `$flags` has no bit of `$wanted`, it does what `$off` names and
/// returns. Otherwise it jumps to `$to`, which gets the address of the caller's frame as a sixth argument. `$arguments`
/// names the way in which they are passed.
#[macro_export]
macro_rules! flagged_entry {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $arguments:ident, $off:ident, $flags:path, $wanted:expr, $noting:expr, $words:literal, $call:literal, $to:path) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name() }
    };
}

/// [`pass_operand!`](crate::pass_operand) for six arguments in registers and any number of further ones. It calls `$to`
/// with two more arguments: the address of those on the stack as the seventh, the address that it hands over as the
/// eighth. It has unwind information (CFI).
#[macro_export]
macro_rules! pass_operand_with_stack_arguments {
    ($name:ident, $to:path) => {
        $crate::not_yet! { fn $name() }
    };
}

/// [`pass_operand_with_stack_arguments!`](crate::pass_operand_with_stack_arguments) that records the call site, too.
#[macro_export]
macro_rules! record_and_pass_operand_with_stack_arguments {
    ($name:ident, $words:literal, $call:literal, $to:path) => {
        $crate::not_yet! { fn $name() }
    };
}

/// A trampoline that calls `$to` with its own arguments and, as a seventh one, the address of those that it got on the
/// stack. For functions that take up to six numbers in registers and any number of further ones. It has unwind
/// information (CFI).
#[macro_export]
macro_rules! call_with_stack_arguments {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<const $a:ident: usize>, $to:path) => {
        $crate::not_yet! { $(#[$meta])* $vis fn $name<const $a: usize>() }
    };
}

/// Defines a signal handler (`SA_SIGINFO`) that runs `$handler` on the stack whose upper end `$stack` returns. Where
/// that is 0, the handler stays on the stack on which it was called.
#[macro_export]
macro_rules! signal_handler_on {
    ($(#[$meta:meta])* $vis:vis fn $name:ident, $stack:path, $handler:path) => {
        $(#[$meta])*
        $vis extern "C" fn $name(_: ::std::ffi::c_int, _: *const $crate::siginfo_t, _: *mut ::std::ffi::c_void) {
            $crate::arch::not_yet()
        }
    };
}
