//! Call-site record of a call of the runtime.

/// A call that the program made of its runtime, or that the runtime made of a function that replaces the program's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallSite {
    /// Return address of the call; 0 if it was not recorded.
    pub return_address: usize,
    /// Canonical frame address of the call: the caller's stack pointer at the call instruction.
    pub frame: usize,
}
