//! Names of addresses: functions, files and lines, as the author of the program knows them.
//!
//! Compilers make functions of the bodies of constructs (gcc `work._omp_fn.0`, clang `work.omp_outlined`). Here they
//! have the name of the function that contains the construct, with a description of the construct. Debug information is
//! searched in the file itself and in separate files (`debug_file`). Without it, symbols are names. Without symbols, a
//! function is `libfoo.so+0x1234`, with its begin from the unwinding table.
//!
//! [`ProcessNames`] knows the objects of one process; [`Files`] is shared by all processes, and opens each file once.

mod bounded_file;
mod brief;
mod code_map;
mod construct;
mod cython;
mod debug_file;
mod debug_info;
mod demangle;
mod dwarf;
mod file;
mod image;
mod instrumented;
mod launch;
mod linkage_name;
mod lookup;
mod outlined;
mod process;
mod symbols;
mod unnamed_body;
mod unwind;
mod vdso;

pub use brief::brief;
pub use code_map::{CodeMap, FILE as CODE_MAP_FILE};
pub use debug_info::{DebugInfo, section_data};
pub use file::Files;
pub use image::processor;
pub use instrumented::{Calls, FILE as INSTRUMENTED_FILE, Instrumented, Place, VARIABLE as INSTRUMENTED_VARIABLE};
pub use process::ProcessNames;

/// Name and place of a function at an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Name {
    /// Name as its author knows it; `0x1234` where nothing is known.
    pub function: String,
    /// Source file.
    pub file: Option<String>,
    /// Line of the address or, in a function that others are inlined into, of the call. 0: unknown.
    pub line: u32,
    /// File name of the object; empty: unknown.
    pub object: String,
    /// The construct, in code without debug information that OPARI has instrumented.
    pub place: Option<Place>,
    /// The construct, for an outlined body: `function` is then the author's.
    pub construct: Option<Construct>,
}

/// The construct that an outlined function is the body of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Construct {
    /// Kind of the construct.
    pub kind: ConstructKind,
    /// First line of the construct; 0: unknown.
    pub line: u32,
    /// Source file.
    pub file: Option<String>,
    /// Return address of the call of the runtime, as `prog+0x1234`, in code without symbols.
    pub call: Option<String>,
}

/// Kind of a construct that bodies are outlined from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConstructKind {
    /// `parallel`, also combined with worksharing.
    Parallel,
    /// `task` or `taskloop`.
    Task,
    /// `teams`, `target`, helpers of reductions and copies, or unknown.
    Other,
}

/// The author's function, from the linkage name of a function that a compiler has made of it.
pub fn author(name: &str) -> String {
    match outlined::Outlined::of(name).map(|outlined| outlined.author) {
        None | Some("") => linkage_name::plain(name, false),
        Some(author) => linkage_name::plain(construct::without_number(author), false),
    }
}

/// Source of names for addresses.
pub trait Names {
    /// The functions at an address, the innermost inlined one first. `at_ns`: time of the sample; `returns`: a return
    /// address.
    ///
    /// Empty for a frame without a function of the author's. Without optimization clang puts a function between the
    /// runtime and the body, which only passes its arguments on.
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
