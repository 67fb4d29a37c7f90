//! A call of the runtime, as entries note it.

/// A call that the program made of its runtime, or the runtime of a function that stands in for the program's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Its return address; 0: nobody has looked.
    pub return_address: usize,
    /// Its canonical frame address: the caller's stack pointer at the call.
    pub frame: usize,
}
