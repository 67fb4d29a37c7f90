//! Programs that several tests run, compiled once for all of them and for later runs of the tests.

use std::env;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Output};

use compat_tests::compiled::{key, once};

/// Prefix of the name of each test's folder.
pub(crate) const PREFIX: &str = "ora-test-";

/// Compiles to a file in a test's folder. `compiler` contains the options and the sources, but not `-o`.
///
/// A command that names a file in a test's own folder is run each time, and the result of a failed one is not kept.
///
/// # Errors
/// If the compiler can't be started.
pub(crate) fn compile(compiler: &mut Command, to: &Path) -> io::Result<Output> {
    let own = env::temp_dir().join(PREFIX).display().to_string();
    if format!("{compiler:?}").contains(&own) {
        return compiler.arg("-o").arg(to).output();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled");
    fs::create_dir_all(&folder).unwrap();
    let product = folder.join(format!("{:016x}", key(compiler)));
    let made = once(&product, |fresh| match compiler.arg("-o").arg(fresh).output() {
        Ok(done) if done.status.success() => Ok(()),
        failed => Err(failed),
    });
    match made {
        Ok(()) => copy_program(&product, to),
        Err(failed) => return failed,
    }
    Ok(Output { status: ExitStatus::default(), stdout: Vec::new(), stderr: Vec::new() })
}

/// Copies a program that will be executed immediately. Another process copies it: if this process forked meanwhile, the child would keep
/// the copy open for writing, and the kernel refuses to execute such a file (execve(2), ETXTBSY).
pub(crate) fn copy_program(from: &Path, to: &Path) {
    let mut cp = Command::new("cp");
    // An existing file may still be executed or mapped.
    assert!(cp.arg("--remove-destination").args([from, to]).status().unwrap().success());
}

#[test]
fn a_failed_compilation_fails_again() {
    let folder = tempfile::Builder::new().prefix(PREFIX).tempdir().unwrap();
    let to = folder.path().join("product");
    for _ in 0..2 {
        let mut gcc = Command::new("gcc");
        let done = compile(gcc.arg("/no-such-source.c"), &to).expect("gcc is installed");
        assert!(!done.status.success() && !done.stderr.is_empty());
        assert!(!to.exists());
    }
}
