//! Names of addresses: functions, files and lines, as seen by the author of the program.
//!
//! Compilers outline the bodies of constructs into functions (gcc `work._omp_fn.0`, clang `work.omp_outlined`). Here
//! they have the name of the function that contains the construct, with a description of the construct. Debug
//! information is searched in the file itself and in separate files (`debug_file`). Without it, names come from
//! symbols. Without symbols, a function is `libfoo.so+0x1234`, with its start from the unwinding table.
//!
//! [`ProcessNames`] has the objects of one process; [`Files`] is shared by all processes, and opens each file once.
//! [`Resolver`] finds the construct that a call implements, in the same files.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod argument;
mod author;
mod brief;
mod call;
mod callee;
mod code_map;
mod construct;
mod cython;
mod debug_file;
mod debug_info;
mod demangle;
mod dwarf;
mod file;
mod image;
mod inlined;
mod instrumented;
mod launch;
mod linkage_name;
mod linkage_table;
mod lookup;
mod mangled_types;
mod name;
mod outlined;
mod passed_body;
mod place;
mod process;
mod resolver;
mod runtime_file;
pub mod source;
mod spans;
mod step;
mod symbol_table;
mod tail_call;
mod time;
mod unnamed_body;
mod unwind;
mod vdso;

pub use author::author;
pub use brief::{BriefNames, brief};
pub use call::Resolved;
pub use code_map::{CodeMap, FILE as CODE_MAP_FILE, is_made};
pub use debug_info::section_data;
pub use file::Files;
pub use inlined::{Inlined, InlinedCalls, SourcePosition};
pub use instrumented::{FILE as INSTRUMENTED_FILE, Instrumented, SourceLine, VARIABLE as INSTRUMENTED_VARIABLE};
pub use name::{Construct, ConstructEnd, ConstructKind, Name, Names};
pub use place::{Place, short};
pub use process::ProcessNames;
pub use resolver::Resolver;
pub use runtime_file::{file_name, is_library, runtime};
pub use spans::Spans;
pub use time::are_names_missing;
