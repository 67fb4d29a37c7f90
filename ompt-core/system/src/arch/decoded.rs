//! Meanings of machine code, as every architecture's decoders find them.

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

/// Frame layout of a function that ends right behind a call, at the return address of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epilogue {
    /// Distance from the stack pointer to the return address, in bytes.
    pub slot: u64,
    /// True if the stack pointer points to the caller's frame pointer.
    pub pops: bool,
    /// Bytes by which the caller's stack pointer lies above.
    pub room: u64,
}
