//! Meanings of machine code, in the form that every architecture's decoders return.

/// The operand of a call instruction, or of an entry of a procedure linkage table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The address of code.
    Code(usize),
    /// The address of the word that holds the address of code.
    Slot(usize),
}

/// Memory operand of an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The word to which the function's first argument points.
    Argument,
    /// The word at this address.
    At(usize),
}

/// Frame layout of a function that ends right after a call, at the call's return address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epilogue {
    /// Distance from the stack pointer to the return address, in bytes.
    pub slot: u64,
    /// True if the stack pointer points to the caller's saved frame pointer.
    pub pops: bool,
    /// Bytes from the stack pointer up to the caller's.
    pub room: u64,
}
