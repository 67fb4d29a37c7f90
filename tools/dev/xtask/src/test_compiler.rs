//! Compiler of tests. Unit tests are compiled without optimisation and with the compiler's checks. Test programs that start other programs
//! and examine them are compiled in the same way, but without the checks, which takes a fifth of the time. The programs that they start or
//! link are compiled once, as for users.
//!
//! Clippy's own compiler compiles the tests, so they and the code of their crates are linted in the same pass. In all other crates of the
//! workspace, a compiler warning is an error. A separate clippy run would have to read every crate again.
//!
//! Profiles belong to packages, and the tests of a package share its profile. So cargo calls this program in place of the compiler ("Cargo
//! book", `RUSTC_WRAPPER`).

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Variable that tells this program that cargo calls it as the compiler.
const CALLED: &str = "ORA_XTASK_COMPILES_TESTS";

/// Packages whose test programs start others, in the order in which they run.
pub(crate) const STARTERS: [&str; 4] = ["compat-tests", "ora-cli", "ora-validate-tool", "ora-symbols"];

/// Packages whose unit tests look up their own source lines. (A failed test prints its file and line even without debug information.)
const WITH_LINES: [&str; 2] = ["ora-symbols", "ora-race-analysis"];

/// Options for the fastest compilation.
const QUICKLY: [&str; 6] = ["-C", "codegen-units=16", "-C", "debuginfo=0", "-C", "opt-level=0"];

/// Makes a cargo command compile with this program. A wrapper that the user has set is kept: then the result is false.
pub(crate) fn set(cargo: &mut Command) -> bool {
    let Some(this) = env::current_exe().ok().filter(|_| env::var_os("RUSTC_WRAPPER").is_none()) else { return false };
    cargo.env("RUSTC_WRAPPER", this).env(CALLED, "1");
    true
}

/// Runs the compiler if cargo has called this program as one. In that case it returns only on an error.
pub(crate) fn run_if_called() -> Option<ExitCode> {
    env::var_os(CALLED)?;
    let mut arguments = env::args_os().skip(1);
    let compiler = arguments.next()?;
    let package = env::var("CARGO_PKG_NAME").unwrap_or_default();
    let mut command = Command::new(&compiler);
    // Cargo gives test programs, but not unit tests, a folder for their files.
    let is_unit_test = env::var_os("CARGO_TARGET_TMPDIR").is_none();
    let arguments = changed(&package, is_unit_test, arguments.collect());
    command.args(if is_test(&arguments) { linted(arguments) } else { arguments });
    let error = command.exec();
    eprintln!("error: can't run {}: {error}", compiler.display());
    Some(ExitCode::FAILURE)
}

fn is_test(arguments: &[OsString]) -> bool {
    arguments.iter().any(|argument| argument == OsStr::new("--test"))
}

/// The arguments with clippy's compiler, which takes the same ones, in place of rustc: the first one, since cargo calls the workspace's own
/// wrapper with it.
fn linted(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if let Some(rustc) = arguments.first_mut().filter(|it| Path::new(it).file_stem() == Some(OsStr::new("rustc"))) {
        let beside = Path::new(rustc).with_file_name("clippy-driver");
        *rustc = beside.into_os_string();
    }
    arguments
}

/// Arguments of the compiler for a crate of this package. The last one of each kind takes effect.
fn changed(package: &str, is_unit_test: bool, mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_test = is_test(&arguments);
    let has =
        |option: &str| arguments.iter().any(|argument| argument.as_encoded_bytes().starts_with(option.as_bytes()));
    // Cargo also asks the compiler what it is, without output, and allows all lints of crates from elsewhere.
    if has("--emit") && !has("--cap-lints") {
        arguments.extend(["-D", "warnings"].map(OsString::from));
    }
    if is_test && is_unit_test {
        let checks = ["-C", "debug-assertions=on", "-C", "overflow-checks=on"];
        let lines: &[&str] = if WITH_LINES.contains(&package) { &["-C", "debuginfo=line-tables-only"] } else { &[] };
        arguments.extend(QUICKLY.iter().chain(lines).chain(&checks).map(OsString::from));
    } else if is_test && STARTERS.contains(&package) {
        arguments.extend(QUICKLY.map(OsString::from));
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unit_tests_and_tests_that_start_programs_are_compiled_without_optimisation() {
        let last = |package: &str, is_unit_test: bool, kind: &str| {
            let arguments = ["-C", "opt-level=3", kind].map(OsString::from).to_vec();
            changed(package, is_unit_test, arguments).pop().unwrap_or_default()
        };
        assert_eq!(last("ora-cli", false, "--test"), "opt-level=0");
        assert_eq!(last("ompt-core", false, "--test"), "--test");
        assert_eq!(last("ompt-core", true, "--test"), "overflow-checks=on");
        // Crates that tests link are compiled once, as for users.
        assert_eq!(last("ora-cli", false, "--crate-type"), "--crate-type");
        assert_eq!(last("ompt-core", true, "--crate-type"), "--crate-type");
    }

    #[test]
    fn tests_are_compiled_by_clippy_and_a_warning_of_the_workspace_is_an_error() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(linted(words("/bin/rustc --test")), words("/bin/clippy-driver --test"));
        assert_eq!(linted(words("a.c rustc")), words("a.c rustc"));
        assert_eq!(changed("ora", false, words("--emit=link")), words("--emit=link -D warnings"));
        assert_eq!(
            changed("libc", false, words("--emit=link --cap-lints allow")),
            words("--emit=link --cap-lints allow")
        );
        assert_eq!(changed("", false, words("-vV")), words("-vV"));
    }
}
