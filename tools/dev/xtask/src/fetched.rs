//! Third-party programs that tests need, fetched to the target folder: a Python with packages that use OpenMP, and the Firefox Profiler as
//! a command.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use crate::workspace;

/// Package and version of the Firefox Profiler whose output the test expects.
const PROFILER: &str = "@firefox-devtools/profiler-cli@0.10.0";

/// Finds or installs the Python: the path in `ORA_TEST_PYTHON`, or one in the target folder. `None`, with a warning, if it can't be
/// installed; on CI that is an error.
pub(crate) fn python() -> Result<(Option<OsString>, Option<String>)> {
    let folder = workspace::target().join("python");
    let works = ["-c", "import sklearn, lightgbm, duckdb"];
    let python = prepare("ORA_TEST_PYTHON", &folder.join("bin/python"), &works, || {
        environment(&folder, &workspace::root().join("compat-tests/python/requirements.txt"))
    });
    let next = "Next: install python3 and python3-venv, and let pip reach its packages";
    match python {
        Ok(python) => Ok((Some(python), None)),
        Err(error) if requirements::is_ci() => Err(error.context(next)),
        Err(error) => Ok((None, Some(format!("the tests on Python packages are SKIPPED: {error}. {next}")))),
    }
}

/// Finds or installs the Firefox Profiler: the path in `ORA_TEST_FIREFOX_PROFILER`, or a copy in the target folder, which npm fetches if it
/// is installed. `None`, with a warning, if it isn't available. That is not an error, even on CI, because nothing else needs node.
pub(crate) fn firefox_profiler(warnings: &mut Vec<String>) -> Option<OsString> {
    let folder = workspace::target().join("firefox-profiler");
    let command = folder.join("node_modules/.bin/profiler-cli");
    let profiler = prepare("ORA_TEST_FIREFOX_PROFILER", &command, &["--version"], || {
        let install = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"];
        workspace::run(Command::new("npm").args(install).arg(&folder).arg(PROFILER))
    });
    let warning =
        |error| format!("the Firefox Profiler reads no file of ours: SKIPPED: {error}. To have it: node and npm");
    profiler.map_err(|error| warnings.push(warning(error))).ok()
}

/// Program that a variable names, or the one at a path, which is fetched unless it already works.
fn prepare(variable: &str, path: &Path, works: &[&str], fetch: impl FnOnce() -> Result<()>) -> Result<OsString> {
    if let Some(named) = env::var_os(variable) {
        return Ok(named);
    }
    let works = || {
        let tried = Command::new(path).args(works).stdout(Stdio::null()).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    if !works() {
        println!("fetching {}", workspace::shown(path));
        fetch()?;
        ensure!(works(), "{} doesn't work on this system", path.display());
    }
    Ok(path.into())
}

/// Creates a Python environment with the packages of a list.
pub(crate) fn environment(folder: &Path, list: &Path) -> Result<()> {
    workspace::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    let install = ["-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", "--requirement"];
    workspace::run(Command::new(folder.join("bin/python")).args(install).arg(list))
}
