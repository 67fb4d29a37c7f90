//! The versioned name of an installed `libora.so`: DT_SONAME.
//!
//! Only an installation has it. What a build leaves is used where it lies, often as a copy, without links beside it.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::workspace;

/// The name that programs linked to an installed `libora.so` ask for. Its number goes up when they would have to be built anew.
pub(super) const SONAME: &str = "libora.so.0";

/// Whether there is what sets it.
pub(super) fn can_be_set() -> bool {
    Command::new("patchelf").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Gives a shared object that name.
pub(super) fn set(library: &Path) -> Result<()> {
    workspace::run(Command::new("patchelf").args(["--set-soname", SONAME]).arg(library))
}
