//! x86-64 (System V psABI, AMD64 Architecture Processor Supplement).
#![allow(unsafe_code)] // inline assembly

mod call_site;
mod epilogue;
mod framed_call;
mod instrumented;
mod linkage;
mod locked_word;
mod numbers;
mod observed_call;
mod prefetch;
mod registers;
mod stack_arguments;
mod thread_words;
mod ticks;
mod trampolines;
mod unwinding;
mod weak_symbol;
mod zero_block;

pub use call_site::{CALL_BYTES, STUB_BYTES, call_before, linkage_slot};
pub use epilogue::epilogue;
pub use framed_call::call_with_frame;
pub use linkage::call_through;
pub use locked_word::{freed, taken};
pub use numbers::{
    ADDRESS_END, CACHE_MARK, ELF_MACHINE, LINKER, LINKER_NAME, LOADS_IN_ORDER, MACHINE, PAGE_SIZE, USUAL_END,
    is_symbol_address,
};
pub use observed_call::{RETURN_WORD, argument_word};
pub use prefetch::fetch_to_write;
pub use registers::{stack_pointer, thread_pointer};
pub use stack_arguments::call_with_numbers;
pub use ticks::{COUNTER_SOURCE, counter, counter_in_order, is_counter_steady};
pub use trampolines::{DISTANCE_BYTES, JUMP_BYTES, NUMBERED_BYTES, RECORDING_BYTES, added_distance};
pub use unwinding::{
    CALL_PUSHES, CALLEE_SAVED, DWARF_REGISTERS, FRAME_POINTER, INSTRUCTION_POINTER, RED_ZONE, RETURN_ADDRESS,
    SIGNAL_FRAME, SIGNAL_RETURN, SIGNS_RETURNS, STACK_POINTER, code_address, here, interrupted,
};
pub use zero_block::is_zero_block;
