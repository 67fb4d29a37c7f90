//! The versioned name of an installed `libora.so`: DT_SONAME.
//!
//! Only an installation has it. A build's library is used in its folder, often as a copy, without links beside it.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::workspace;

/// Name in the dependencies of programs linked to an installed `libora.so`. Its number is increased when they would
/// have to be rebuilt.
pub(super) const SONAME: &str = "libora.so.0";

/// True if `patchelf`, which sets the name, is installed.
pub(super) fn can_be_set() -> bool {
    Command::new("patchelf").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Sets the name of a shared object.
pub(super) fn set(library: &Path) -> Result<()> {
    workspace::run(Command::new("patchelf").args(["--set-soname", SONAME]).arg(library))
}
