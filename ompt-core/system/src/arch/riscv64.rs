//! riscv64 (RISC-V ELF psABI), not yet complete: all of it compiles, the entries that programs call end the process with
//! a message, and no machine code is decoded.
#![allow(unsafe_code)] // inline assembly

mod code;
mod entries;
mod numbers;
mod registers;
mod thread_words;

pub use code::{CALL_BYTES, STUB_BYTES, call_before, epilogue, freed, linkage_slot, taken};
pub use entries::{
    DISTANCE_BYTES, JUMP_BYTES, NUMBERED_BYTES, RECORDING_BYTES, RETURN_WORD, added_distance, argument_word,
    call_through, call_with_numbers, not_yet,
};
pub use numbers::{
    ADDRESS_END, CACHE_MARK, COUNTER_SOURCE, ELF_MACHINE, LINKER, LINKER_NAME, LOADS_IN_ORDER, MACHINE, PAGE_SIZE,
    USUAL_END, is_counter_steady, is_symbol_address,
};
pub use registers::{
    CALL_PUSHES, DWARF_REGISTERS, FRAME_POINTER, INSTRUCTION_POINTER, RED_ZONE, RETURN_ADDRESS, SIGNAL_FRAME,
    SIGNAL_RETURN, SIGNS_RETURNS, STACK_POINTER, code_address, counter, counter_in_order, here, interrupted,
    stack_pointer, thread_pointer,
};
