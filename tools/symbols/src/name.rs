//! Name and place of a function, and the construct whose body it is.

use std::fmt;

use terminal::printable::Shown;

use crate::instrumented::SourceLine;
use crate::place::{Place, short};

/// Name and place of a function at an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Name {
    /// Name as its author knows it; `0x1234` if nothing is known.
    pub function: String,
    /// Source file.
    pub file: Option<String>,
    /// Line of the address or, in a function into which others are inlined, of the call; 0 if unknown.
    pub line: u32,
    /// File name of the object; empty if unknown.
    pub object: String,
    /// The construct, in code without debug information that OPARI has instrumented.
    pub place: Option<SourceLine>,
    /// The construct, for an outlined body: `function` is then the author's.
    pub construct: Option<Construct>,
    /// The construct that a barrier ends, for the return address of its call in code by gcc.
    pub ends: Option<ConstructEnd>,
}

/// A construct with an implicit barrier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConstructEnd {
    /// `loop` or `single`.
    pub construct: &'static str,
    /// Its source file.
    pub file: String,
    /// Its line.
    pub line: u32,
}

impl fmt::Display for ConstructEnd {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "end of the {} at {}:{}", self.construct, short(&self.file).shown(), self.line)
    }
}

/// The construct whose body is an outlined function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Construct {
    /// Kind of the construct.
    pub kind: ConstructKind,
    /// First line of the construct; 0 if unknown.
    pub line: u32,
    /// Source file.
    pub file: Option<String>,
    /// Return address of the call of the runtime, as `prog+0x1234`, in code without symbols.
    pub call: Option<String>,
}

/// Kind of a construct whose body is outlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConstructKind {
    /// `parallel`, also combined with worksharing.
    Parallel,
    /// `task` or `taskloop`.
    Task,
    /// `teams`, `target`, helpers of reductions and copies, or unknown.
    Other,
}

/// Source of names for addresses.
pub trait Names {
    /// The functions at an address, the innermost inlined one first. `at_ns`: time of the sample; `returns`: a return
    /// address.
    ///
    /// Empty for a frame without a function of the author. Without optimization clang puts a function between the
    /// runtime and the body, which only passes its arguments on.
    fn at(&mut self, address: u64, returns: bool, at_ns: u64) -> Vec<Name>;

    /// Place of the parallel or task construct that a call, which returns to this address, is made for. `None`: none, or
    /// not known. The place of the call itself may be that of another construct beside it.
    fn construct(&mut self, _returns_to: u64, _at_ns: u64) -> Option<Place> {
        None
    }
}
