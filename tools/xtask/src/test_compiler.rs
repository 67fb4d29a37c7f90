//! The compiler of test programs that start others and look at what these do: such a program is compiled without
//! optimisation, in a fifth of the time. What it starts or links is compiled as users get it.
//!
//! Profiles are of packages, and the tests of a package share its profile. So cargo calls this program in place of the
//! compiler ("Cargo book", `RUSTC_WRAPPER`).

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// The variable that says to this program that cargo calls it as the compiler.
const CALLED: &str = "ORA_XTASK_COMPILES_TESTS";

/// Packages whose tests start programs.
const PACKAGES: [&str; 4] = ["compat-tests", "ora-cli", "report", "validator"];

/// Makes a command of cargo's compile by this program. A wrapper of the user's stays.
pub(crate) fn set(cargo: &mut Command) {
    if env::var_os("RUSTC_WRAPPER").is_none()
        && let Ok(this) = env::current_exe()
    {
        cargo.env("RUSTC_WRAPPER", this).env(CALLED, "1");
    }
}

/// Runs the compiler if cargo has called this program as one, and doesn't come back then, but for an error.
pub(crate) fn run_if_called() -> Option<ExitCode> {
    env::var_os(CALLED)?;
    let mut arguments = env::args_os().skip(1);
    let compiler = arguments.next()?;
    let package = env::var("CARGO_PKG_NAME").unwrap_or_default();
    let mut command = Command::new(&compiler);
    command.args(changed(&package, arguments.collect()));
    let error = command.exec();
    eprintln!("error: can't run {}: {error}", compiler.display());
    Some(ExitCode::FAILURE)
}

/// The compiler's arguments for a crate of this package. The last level of optimisation counts.
fn changed(package: &str, mut arguments: Vec<OsString>) -> Vec<OsString> {
    if PACKAGES.contains(&package) && arguments.iter().any(|argument| argument == OsStr::new("--test")) {
        arguments.extend(["-C", "opt-level=0"].map(OsString::from));
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_test_programs_of_these_packages_are_compiled_without_optimisation() {
        let last = |package: &str, kind: &str| {
            let arguments = ["-C", "opt-level=3", kind].map(OsString::from).to_vec();
            changed(package, arguments).pop().expect("arguments")
        };
        assert_eq!(last("ora-cli", "--test"), "opt-level=0");
        assert_eq!(last("ora-cli", "--crate-type"), "--crate-type");
        assert_eq!(last("ompt-core", "--test"), "--test");
    }
}
