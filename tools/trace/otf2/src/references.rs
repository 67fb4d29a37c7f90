//! References to definitions: the numbers by which events and other definitions name them.

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node(pub(crate) u32);

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Process(pub(crate) u32);

/// A region of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region(pub(crate) u32);

/// Threads that form teams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Comm(pub(crate) u32);
