//! Programs and permissions that a machine may lack: tests that need them print a skip, and with `CI=true` nothing that can be installed
//! may be missing.

use std::env;
use std::fmt::Display;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use compat_tests::requirements::Requirement;
use compat_tests::skips;

/// Prints that the running test, or a part of it, is skipped: the machine forbids it, or only a long run has it. For missing software see
/// [`missing`].
pub(crate) fn skip(why: impl Display) {
    skips::skip(test(), why);
}

/// Skips the running test, or a part of it, because something isn't installed.
///
/// # Panics
/// With `CI=true`.
pub(crate) fn missing(what: impl Display) {
    skips::missing(test(), what);
}

/// Name of the running test: each test runs in a thread with its name.
fn test() -> String {
    thread::current().name().unwrap_or("a part of a test").to_owned()
}

/// True if it works; otherwise the running test, or a part of it, is skipped.
///
/// # Panics
/// With `CI=true`.
pub(crate) fn has(requirement: &Requirement) -> bool {
    requirement.is_here(test())
}

/// True if a program that every Linux has is installed; otherwise a part of a test is skipped.
pub(crate) fn is_here(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_here = env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !is_here {
        missing(program);
    }
    is_here
}

/// True if these words may run a program here; the restrictions of a container are not a fault of the project.
pub(crate) fn may_run(words: &[&str], program: &str) -> bool {
    let output = Command::new(words[0]).args(&words[1..]).arg(program).output();
    let may = output.is_ok_and(|output| output.status.success());
    if !may {
        skip(format_args!("{words:?} is forbidden here"));
    }
    may
}

/// Python with packages, which `ORA_TEST_PYTHON` names; otherwise it is [`missing`].
pub(crate) fn python() -> Option<PathBuf> {
    let python = env::var_os("ORA_TEST_PYTHON").map(PathBuf::from).filter(|path| path.is_file());
    if python.is_none() {
        missing("a Python with packages (ORA_TEST_PYTHON)");
    }
    python
}
