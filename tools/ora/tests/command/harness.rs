//! Compiles small C programs and runs the command on them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::reference::document;
use compat_tests::requirements::{self, GCC, Requirement};
use serde_json::Value;
use tempfile::TempDir;

use crate::compiled::{self, PREFIX};
use crate::skips::has;

/// Command under test.
pub(crate) const ORA: &str = env!("CARGO_BIN_EXE_ora");
/// The tests' clang.
pub(crate) const CLANG: &str = "clang-19";
/// Options for the folder of clang's runtime.
pub(crate) const LIBOMP: [&str; 2] = ["-L/usr/lib/llvm-19/lib", "-Wl,-rpath,/usr/lib/llvm-19/lib"];

/// Folder that is removed on drop.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// Creates a new, empty folder that others may enter: root is shown only sources that everybody may read.
    pub(crate) fn new() -> Self {
        let all = fs::Permissions::from_mode(0o755);
        Self(tempfile::Builder::new().prefix(PREFIX).permissions(all).tempdir().unwrap())
    }

    /// Path of a file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Compiles `tests/command/programs/NAME.c` with OpenMP.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.compile(name, name, &["-fopenmp"])
    }

    /// Compiles `tests/command/programs/NAME.c` into a shared library.
    pub(crate) fn library(&self, name: &str) -> PathBuf {
        self.compile(name, &format!("lib{name}.so"), &["-shared", "-fPIC"])
    }

    /// Compiles `tests/command/programs/NAME.c` to a file in the folder.
    pub(crate) fn compile(&self, name: &str, to: &str, options: &[&str]) -> PathBuf {
        self.build(&format!("tests/command/programs/{name}.c"), to, options)
    }

    /// Compiles a source of the project to a file in the folder; its path is relative to the crate's folder.
    pub(crate) fn build(&self, source: &str, to: &str, options: &[&str]) -> PathBuf {
        let mut gcc = Command::new("gcc");
        // gcc 16 warns about names that OpenMP has deprecated, and earlier releases don't know the new ones.
        gcc.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-openmp", "-O1"]).args(options);
        self.compile_by(&GCC, gcc.arg(in_crate(source)), to).expect("gcc is installed")
    }

    /// Compiles `tests/command/programs/NAME.c` with clang. `None` if clang is missing, and then a line is printed.
    pub(crate) fn clang(&self, name: &str, to: &str, options: &[&str]) -> Option<PathBuf> {
        self.compile_by(&requirements::CLANG, Command::new(CLANG).args(options).arg(source(name)), to)
    }

    /// Compiles with this command, which contains options and sources, to a file in the folder. `None` if the machine lacks something that
    /// the compilation needs, and then a line is printed.
    pub(crate) fn compile_by(&self, needs: &Requirement, compiler: &mut Command, to: &str) -> Option<PathBuf> {
        if !has(needs) {
            return None;
        }
        let product = self.file(to);
        let done = compiled::compile(compiler, &product).unwrap_or_else(|error| panic!("{compiler:?}: {error}"));
        assert!(done.status.success(), "{compiler:?}: {}", errors(&done));
        Some(product)
    }
}

/// Path relative to the crate's folder.
pub(crate) fn in_crate(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Path of `tests/command/programs/NAME.c`.
pub(crate) fn source(name: &str) -> PathBuf {
    in_crate(&format!("tests/command/programs/{name}.c"))
}

/// The command with these words, in a plain environment.
pub(crate) fn ora(words: &[&str]) -> Command {
    let mut command = Command::new(ORA);
    // A cache would have what an earlier build of the search has found.
    command.args(words).envs([("OMP_WAIT_POLICY", "passive"), ("ORA_CACHE", "none")]).stdin(Stdio::null());
    for variable in [
        "LD_PRELOAD",
        "ORA_CALL_SITES",
        "ORA_DISABLE",
        "ORA_IBAR",
        "ORA_STAT_FILE",
        "ORA_TASKS_FILE",
        "ORA_VALIDATE_FILE",
        "ORA_PROFILE_DIR",
        "ORA_PROFILE_NO_FOLLOW",
        "ORA_POMP_REGIONS",
        "ORA_TRACE_DIR",
        "ORA_TRACE_NO_FOLLOW",
        "OMP_TOOL",
        "OMP_NUM_THREADS",
        "OMP_DYNAMIC",
        "COLUMNS",
        "LINES",
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "FORCE_COLOR",
        "ORA_PAGER",
        "PAGER",
    ] {
        command.env_remove(variable);
    }
    command
}

/// Runs `ora stat` on a program; the table is on stderr.
pub(crate) fn stat(options: &[&str], program: &Path, arguments: &[&str]) -> Output {
    run(ora(&["stat"]).args(options).arg("--").arg(program).args(arguments))
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Output {
    command.output().unwrap()
}

/// Runs `ora stat --json` on a program.
pub(crate) fn json(options: &[&str], program: &Path, arguments: &[&str]) -> Value {
    let folder = Folder::new();
    let file = folder.file("out.json");
    let options = [options, &["--json", "-o", file.to_str().unwrap()]].concat();
    stat(&options, program, arguments);
    document(fs::read(&file).unwrap())
}

/// Stderr as text.
pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Stdout as text.
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Makes the command start with default signal actions: under `nohup`, or in the background of a shell, tests inherit ignored signals.
#[allow(unsafe_code)]
pub(crate) fn hear_every_signal(command: &mut Command) {
    let reset = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT] {
            // SAFETY: async-signal-safe; the child has no other thread.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the closure only makes system calls.
    unsafe { command.pre_exec(reset) };
}
