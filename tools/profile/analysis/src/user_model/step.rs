//! Calls, of which stacks consist.

use crate::input::Kind;

/// One call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Code at an address of the process.
    Code {
        /// The address.
        address: u64,
        /// True for a return address.
        returns: bool,
        /// Era of the address; see `Objects::era`.
        era: u32,
        /// Kind of the code.
        kind: Kind,
    },
    /// A pseudo function, which the program doesn't have.
    Pseudo(&'static str),
}
