//! x86-64 (System V psABI, AMD64 Architecture Processor Supplement).
#![allow(unsafe_code)] // inline assembly

mod call_site;
mod instrumented;
mod numbers;
mod registers;
mod thread_words;
mod trampolines;
mod unwinding;
mod weak_symbol;

pub use call_site::{CALL_BYTES, Target, call_before, linkage_slot};
pub use numbers::{ADDRESS_END, ELF_MACHINE, is_symbol_address};
pub use registers::{stack_pointer, thread_pointer};
pub use unwinding::{DWARF_REGISTERS, FRAME_POINTER, RETURN_ADDRESS, STACK_POINTER, here, interrupted};
