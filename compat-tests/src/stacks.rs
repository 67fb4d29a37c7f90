//! Compilers, and the OpenMP runtimes that their programs run on: "clang/libomp-19" is a program compiled by clang on libomp 19.
//!
//! `cargo xtask test` requires clang and libomp of one release ([`llvm::release`]). `cargo xtask test --long` also fetches the other
//! runtimes and passes their folder in `ORA_TEST_RUNTIMES`. They are only unpacked, because Debian's packages of them can't be installed
//! side by side.

use std::fmt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::forge::{Forge, Language};
use crate::known_gaps::Difference;
use crate::llvm::{self, clang_is_here};
use crate::run::{Launch, Outcome};
use crate::skips::missing;
use crate::suite::{Program, whole_matrix};

/// Compiler of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compiler {
    /// clang, for C and C++
    Clang,
    /// gcc, g++ and gfortran; LLVM's runtime runs their programs through a `libgomp.so.1` that is a link to it
    Gcc,
}

/// Stack: a compiler and a runtime.
#[derive(Clone, Debug)]
pub struct Stack {
    /// The compiler.
    pub compiler: Compiler,
    /// The runtime: [`INSTALLED`], `libomp-14`, `libomp-16`, `libiomp5`, `libgomp`.
    pub runtime: &'static str,
    /// File of the runtime; `None` for the one that the compiler links to by default.
    library: Option<PathBuf>,
}

/// The libomp that is installed together with clang: "libomp-19" in tables.
pub const INSTALLED: &str = "libomp";

/// All stacks, in the order of the tables' columns; those that every gate runs come first.
pub const ALL: [(Compiler, &str); 9] = [
    (Compiler::Gcc, "libgomp"),
    (Compiler::Clang, INSTALLED),
    (Compiler::Gcc, INSTALLED),
    (Compiler::Clang, "libomp-16"),
    (Compiler::Gcc, "libomp-16"),
    (Compiler::Clang, "libomp-14"),
    (Compiler::Gcc, "libomp-14"),
    (Compiler::Clang, "libiomp5"),
    (Compiler::Gcc, "libiomp5"),
];

impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&name((self.compiler, self.runtime)))
    }
}

/// Name of a stack in tables and lists of gaps.
pub fn name(stack: (Compiler, &str)) -> String {
    with_release(stack, llvm::release())
}

/// Name of its column in the table of supported events, with which every other release has to agree.
pub fn column((compiler, runtime): (Compiler, &str)) -> String {
    with_release((compiler, runtime), llvm::OF_TABLES)
}

fn with_release((compiler, runtime): (Compiler, &str), llvm: &str) -> String {
    let compiler = if compiler == Compiler::Clang { "clang" } else { "gcc" };
    if runtime == INSTALLED { format!("{compiler}/libomp-{llvm}") } else { format!("{compiler}/{runtime}") }
}

/// True if only the whole matrix includes the runtime.
pub fn is_optional(runtime: &str) -> bool {
    !matches!(runtime, "libgomp" | INSTALLED)
}

impl Stack {
    /// Returns the stack of this name; `None` if it is not selected or not installed, and then a line is printed.
    ///
    /// # Panics
    /// With `CI=true`, if it is selected but not installed.
    pub fn find((compiler, runtime): (Compiler, &'static str), test: &str) -> Option<Self> {
        let library = match runtime {
            "libgomp" => None,
            INSTALLED => Some(llvm::runtime(test)?),
            _ if !whole_matrix() => return None,
            _ => Some(fetched(runtime)),
        };
        let here = library.as_ref().is_none_or(|library| library.is_file());
        if !here {
            missing(test, format_args!("{runtime}, which `cargo xtask test --long` fetches,"));
        }
        let compiler_is_here = compiler == Compiler::Gcc || clang_is_here(test);
        (here && compiler_is_here).then_some(Self { compiler, runtime, library })
    }

    /// True if the runtime supports OMPT itself.
    pub fn speaks_ompt(&self) -> bool {
        self.library.is_some()
    }

    /// Builds a program of `programs/`; `None` if the compiler can't.
    pub fn program(&self, forge: &Forge, source: &str) -> Option<PathBuf> {
        let language = match (self.compiler, Language::of(source)) {
            (Compiler::Gcc, _) => return Some(forge.program(source)),
            (_, Language::C11) => Language::ClangC11,
            (_, Language::Cxx17) => Language::ClangCxx17,
            _ => return None,
        };
        // gcc has already compiled these with warnings. Large atomics need a library that gcc links by itself.
        let flags = ["-O2", "-g", "-fopenmp", "-pthread", "-w", "-latomic"];
        forge.attempt(language, &[&format!("programs/{source}")], &flags, &[], "-clang").ok()
    }

    /// Launches a program on this runtime, without tools.
    pub fn launch(&self, forge: &Forge, program: &Path) -> Launch {
        let launch = Launch::of(forge, program).awake();
        match &self.library {
            None => launch,
            Some(library) => launch.env("LD_LIBRARY_PATH", &self.folder(forge, library).to_string_lossy()),
        }
    }

    /// Returns the differences of a program's reports from its text and from the rules, and the command. `judge` reads the trace.
    pub fn differences(
        &self,
        forge: &Forge,
        program: &Program,
        threads: u32,
        tool: &Path,
        judge: impl FnOnce(&Outcome) -> Vec<Difference>,
    ) -> (Vec<Difference>, String) {
        let difference = |what: &str, sentence: String| vec![Difference { what: what.to_owned(), sentence }];
        let Some(path) = self.program(forge, program.source) else {
            return (difference("unbuilt", "the compiler can't make it".to_owned()), String::new());
        };
        let launch = || program.env.iter().fold(self.launch(forge, &path).threads(threads), |l, (n, v)| l.env(n, v));
        let (ended, outcome) = launch().with_ora().with_collector(tool).attempt();
        let found = if !ended || !outcome.status.success() {
            let (ended, alone) = launch().attempt();
            let what = if ended && alone.status.success() { "fails" } else { "fails-without-us" };
            difference(what, outcome.describe())
        } else if outcome.trace_of(outcome.pid).is_none() {
            difference("untold", outcome.describe())
        } else {
            judge(&outcome)
        };
        (found, outcome.command.clone())
    }

    /// Folder with links to the runtime under every name that a program may look for.
    fn folder(&self, forge: &Forge, library: &Path) -> PathBuf {
        forge.file(&format!("{}-by-all-names", self.runtime), |folder| {
            std::fs::create_dir_all(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
            for name in ["libomp.so.5", "libgomp.so.1", "libiomp5.so"] {
                symlink(library, folder.join(name)).unwrap_or_else(|e| panic!("{name} in {}: {e}", folder.display()));
            }
        })
    }
}

/// Path at which `cargo xtask test --long` stores a runtime (`compat-tests/runtimes.sh`).
fn fetched(runtime: &str) -> PathBuf {
    let folder = std::env::var_os("ORA_TEST_RUNTIMES").map(PathBuf::from).unwrap_or_default();
    folder.join(format!("{runtime}.so"))
}
