//! From addresses to functions, files and lines, as the author of the program knows them.
//!
//! Compilers make functions of the bodies of constructs (gcc `work._omp_fn.0`, clang `work.omp_outlined`); here they have
//! the name of the function that the construct stands in, and say which construct it is. Debug information is looked for
//! in the file itself and in separate files (`debug_file`). Where there is none, symbols are names; where there are no
//! symbols, a function is `libfoo.so+0x1234`, its beginning by the table that is there for unwinding.
//!
//! [`ProcessNames`] knows the objects of one process; [`Files`] is shared by all processes, and opens each file once.

mod bounded;
mod brief;
mod code_map;
mod construct;
mod cython;
mod debug_file;
mod dwarf;
mod file;
mod hidden;
mod image;
mod instrumented;
mod launch;
mod lookup;
mod outlined;
mod plain;
mod process;
mod symbols;
mod unwind;
mod vdso;

pub use brief::brief;
pub use code_map::{CodeMap, FILE as CODE_MAP_FILE};
pub use file::Files;
pub use instrumented::{Calls, FILE as INSTRUMENTED_FILE, Instrumented, Place, VARIABLE as INSTRUMENTED_VARIABLE};
pub use process::ProcessNames;

/// A function at an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Name {
    /// As its author calls it; `0x1234` where nothing is known.
    pub function: String,
    /// Its source file.
    pub file: Option<String>,
    /// The line of the address, or, of a function that others are inlined into, of the call. 0: unknown.
    pub line: u32,
    /// The file name of the object; empty: unknown.
    pub object: String,
    /// Of code without debug information that OPARI has instrumented: the construct that this is about.
    pub place: Option<Place>,
    /// Set for an outlined body: `function` is then the author's.
    pub construct: Option<Construct>,
}

/// What an outlined function is the body of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Construct {
    /// Which.
    pub kind: ConstructKind,
    /// Where it begins; 0: unknown.
    pub line: u32,
    /// Its source file.
    pub file: Option<String>,
    /// Of code without symbols: where the call of the runtime returns to, `prog+0x1234`.
    pub call: Option<String>,
}

/// The construct that a body was outlined from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConstructKind {
    /// `parallel`, also combined with work-sharing.
    Parallel,
    /// `task` or `taskloop`.
    Task,
    /// `teams`, `target`, the functions that reductions and copies need, or not known.
    Other,
}

/// The function that the author wrote, from the linker's name of one that a compiler has made of it.
pub fn author(name: &str) -> String {
    match outlined::Outlined::of(name).map(|outlined| outlined.author) {
        None | Some("") => plain::plain(name, false),
        Some(author) => plain::plain(construct::without_number(author), false),
    }
}

/// Gives addresses their names.
pub trait Names {
    /// The functions at an address, the innermost inlined one first. `at_ns`: when; `returns`: a return address.
    ///
    /// Empty for a frame that is nobody's: without optimization clang puts a function between the runtime and the body,
    /// which only passes its arguments on.
    fn at(&mut self, address: u64, returns: bool, at_ns: u64) -> Vec<Name>;
}

#[cfg(test)]
mod tests {
    use super::author;

    #[test]
    fn functions_are_those_that_the_author_wrote() {
        assert_eq!(["main._omp_fn.0", "fib.part.2", "work"].map(author), ["main", "fib", "work"]);
        assert_eq!(author("_ZNK3app5Field5relaxEd._omp_fn.1"), "app::Field::relax(double) const");
        assert_eq!(
            ["inner.0._omp_fn.0", ".omp_task_entry.", "work.omp_outlined.4"].map(author),
            ["inner", ".omp_task_entry.", "work"]
        );
    }
}
