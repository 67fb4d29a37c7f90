//! Training of scikit-learn, whose wheel contains its own libgomp.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::options::Options;
use crate::programs::output;

/// Finds a Python with scikit-learn; returns its arguments for `length` milliseconds of work. A tree takes about 30.
pub(crate) fn find(options: &Options, length: u32) -> Result<(PathBuf, Vec<OsString>)> {
    let named = options.python.clone().or_else(|| env::var_os("ORA_TEST_PYTHON").map(PathBuf::from));
    let python = named.context("name a Python with scikit-learn: --python FILE")?;
    output(Command::new(&python).args(["-c", "import sklearn"])).context("scikit-learn doesn't work there")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/training.py");
    let trees = (length / 30).max(1).to_string();
    Ok((python, vec![script.into(), trees.into()]))
}
