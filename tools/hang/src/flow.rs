//! Flow of control at an instruction, for any processor.

/// Flow of control at an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// To the next one.
    Next,
    /// To a function, and back.
    Call(Destination),
    /// To another place.
    Jump(Destination),
    /// To this address or to the next instruction, by a condition.
    Branch(u64),
    /// Back to the caller.
    Return,
    /// Nowhere: the program ends there.
    Stop,
}

/// Destination of a call or a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// This address.
    Code(u64),
    /// The content of the word at this address.
    Word(u64),
    /// To the content of a register, or of a word that a register points to.
    Register,
}
