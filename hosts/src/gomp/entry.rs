//! Entries and slots: an exported name is one jump through its slot.
#![allow(unsafe_code)] // naked functions: what the program calls

use super::bank::BANKS;
use super::find;

/// The address of a function, whatever it takes and returns.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Code(pub(super) *const ());

// SAFETY: an address of code, only ever called.
unsafe impl Sync for Code {}

/// One exported entry of the first bank.
macro_rules! entry {
    ($name:ident) => {
        #[doc = concat!("libgomp's `", stringify!($name), "`: jumps through its slot.")]
        ///
        /// # Safety
        /// As the function of that name asks for.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        #[allow(unreachable_pub)] // exported by its name, not by its path
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

/// An entry that is not exported: programs are led to it by their relocations.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn stub<const E: usize>() {
    std::arch::naked_asm!("jmp qword ptr [rip + {banks} + {slot}]", banks = sym BANKS, slot = const 8 * E)
}

/// What a slot holds until its real function is known: finds it, then goes on there with all arguments as they were.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn slow<const B: usize, const E: usize>() {
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
