//! Entries and slots: an exported name is one jump through its slot.
#![allow(unsafe_code)] // naked functions: what the program calls

use super::bank::{BANKS, Bank};
use super::find;
use super::table::{SLOTS, SYMBOLS};
use std::ffi::CStr;

/// The address of a function, whatever it takes and returns.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Code(pub(super) *const ());

// SAFETY: an address of code, only ever called.
unsafe impl Sync for Code {}

/// Symbol and, where it isn't the default one, version of an entry.
pub(super) fn symbol(entry: usize) -> Option<(&'static CStr, Option<&'static CStr>)> {
    let (name, version) = SYMBOLS.get(entry)?;
    let text = |text: &'static str| CStr::from_bytes_with_nul(text.as_bytes()).ok();
    Some((text(name)?, version.and_then(text)))
}

/// True for the names of OpenMP functions: gcc's code imports no others of its runtime.
pub(super) fn calls_openmp(name: &CStr) -> bool {
    let name = name.to_bytes();
    name.starts_with(b"GOMP_") || name.starts_with(b"omp_")
}

/// One exported entry of the first bank.
macro_rules! entry {
    ($name:ident) => {
        #[doc = concat!("libgomp's `", stringify!($name), "`: jumps through its slot.")]
        ///
        /// # Safety
        /// As the function of that name asks for.
        #[unsafe(naked)]
        #[cfg_attr(not(feature = "linked"), unsafe(no_mangle))]
        #[allow(unreachable_pub, non_snake_case)] // exported by its name, not by its path
        pub unsafe extern "C" fn $name() {
            std::arch::naked_asm!(
                "jmp qword ptr [rip + {banks} + {slot}]",
                banks = sym super::bank::BANKS,
                slot = const 8 * (Entry::$name as usize),
            )
        }
    };
}
pub(super) use entry;

/// The entries of bank `B` that are not exported: programs are led to them by their relocations. One of [`STUB`] bytes for
/// each slot.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn stubs<const B: usize>() {
    std::arch::naked_asm!(
        ".balign {stub}",
        ".set ora_slot, {slots}",
        ".rept {count}",
        "jmp qword ptr [rip + {banks} + ora_slot]",
        ".balign {stub}",
        ".set ora_slot, ora_slot + 8",
        ".endr",
        stub = const STUB,
        slots = const B * size_of::<Bank>(),
        count = const SLOTS,
        banks = sym BANKS,
    )
}

/// The distance of stubs.
pub(super) const STUB: usize = 8;

/// What slots of bank `B` hold while calls are told: notes the call, then goes on to the wrapper. One of [`NOTE`] bytes for
/// each slot.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn notes<const B: usize>() {
    std::arch::naked_asm!(
        ".balign {note}",
        ".set ora_wrapper, {wrappers}",
        ".rept {count}",
        ompt_core::note_call!(),
        "jmp qword ptr [rip + {banks} + ora_wrapper]",
        ".balign {note}",
        ".set ora_wrapper, ora_wrapper + 8",
        ".endr",
        note = const NOTE,
        wrappers = const B * size_of::<Bank>() + Bank::WRAPPERS_OF_CALLS,
        count = const SLOTS,
        banks = sym BANKS,
    )
}

/// The distance of notes.
pub(super) const NOTE: usize = 64;

/// What a slot holds until its real function is known: finds it, then goes on there with all arguments as they were.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn slow<const E: usize>() {
    std::arch::naked_asm!("push {entry}", "jmp {resolve}", entry = const E, resolve = sym resolve)
}

/// Stack at entry: number of the entry, return address, arguments. All registers that may hold arguments are kept (`al`
/// too, for variadic functions), and the stack is aligned to 16 bytes for the call.
#[unsafe(naked)]
unsafe extern "C" fn resolve() {
    std::arch::naked_asm!(
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
        find = sym find::late,
    )
}
