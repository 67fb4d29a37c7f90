//! A Python with packages that use OpenMP, for the tests on them; it is installed in the target folder.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::workspace;

/// Finds or installs the Python: the path in `ORA_TEST_PYTHON`, or one in the target folder. `None`, with a warning, if
/// it can't be installed. On CI that is an error.
pub(crate) fn prepare() -> Result<(Option<OsString>, Option<String>)> {
    if let Some(named) = env::var_os("ORA_TEST_PYTHON") {
        return Ok((Some(named), None));
    }
    let folder = workspace::target().join("python");
    let python = folder.join("bin/python");
    if !has_packages(&python) {
        println!("making {} with scikit-learn, lightgbm and duckdb", folder.display());
        if let Err(error) = make(&folder, &python) {
            let next = "Next: install python3 and python3-venv, and let pip reach its packages";
            if requirements::is_ci() {
                return Err(error.context(next));
            }
            return Ok((None, Some(format!("the tests on Python packages are SKIPPED: {error}. {next}"))));
        }
    }
    Ok((Some(python.into_os_string()), None))
}

fn make(folder: &Path, python: &Path) -> Result<()> {
    environment(folder, &workspace::root().join("compat-tests/python/requirements.txt"))?;
    if !has_packages(python) {
        bail!("the packages don't work in {}", folder.display());
    }
    Ok(())
}

/// Makes an environment of Python's with the packages of a list.
pub(crate) fn environment(folder: &Path, list: &Path) -> Result<()> {
    workspace::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    let install = ["-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", "--requirement"];
    workspace::run(Command::new(folder.join("bin/python")).args(install).arg(list))
}

fn has_packages(python: &Path) -> bool {
    let mut command = Command::new(python);
    command.args(["-c", "import sklearn, lightgbm, duckdb"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
