//! From addresses to what their authors call them.

/// A function at an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// As its author calls it; "0x1234" where nothing is known.
    pub function: String,
    /// The source file.
    pub file: Option<String>,
    /// 0: unknown.
    pub line: u32,
    /// File name of the object, "" unknown.
    pub object: String,
    /// Set for an outlined body: `function` is then the author's.
    pub construct: Option<Construct>,
}

/// What an outlined function is the body of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Construct {
    /// What stands in the source.
    pub kind: ConstructKind,
    /// Where; 0: unknown.
    pub line: u32,
    /// In which file.
    pub file: Option<String>,
}

/// The construct whose body a compiler has made a function of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstructKind {
    /// A parallel region.
    Parallel,
    /// A task.
    Task,
    /// One of these, or something else.
    Other,
}

/// Knows the functions of a process.
pub trait Names {
    /// The functions at an address, the innermost inlined one first. `at_ns`: when; `returns`: a return address.
    fn at(&mut self, address: u64, returns: bool, at_ns: u64) -> Vec<Name>;
}
