//! List of symbols that `libora.so` exports.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::{difference, workspace};

/// Writes the list or, with `check`, fails if the library exports anything else.
pub(crate) fn list(check: bool) -> Result<()> {
    let text = exported(&workspace::library()?)?;
    difference::update(&workspace::root().join("ora/exports.txt"), &text, check, "cargo xtask exports")
}

/// Exported names, sorted, one per line.
fn exported(library: &Path) -> Result<String> {
    let table =
        workspace::read(Command::new("nm").args(["--dynamic", "--defined-only", "--format=posix"]).arg(library))?;
    // A line is a name, followed by @ and a version if it has one, and then numbers.
    let mut names: Vec<&str> = table.lines().filter_map(|line| line.split([' ', '@']).next()).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names.iter().map(|name| format!("{name}\n")).collect())
}
