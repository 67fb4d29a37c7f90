//! List of symbols that `libora.so` exports.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::{difference, workspace};

/// Path of the list, from the root.
const LIST: &str = "ora/exports.txt";

/// Writes the list or, with `check`, fails if the library exports anything else.
pub(crate) fn list(check: bool) -> Result<()> {
    let library = workspace::library()?;
    let text = exported(&library)?;
    let path = workspace::root().join(LIST);
    let count = text.lines().count();
    if check {
        difference::check(&path, &text, "cargo xtask exports")?;
        println!("{} exports the {count} names of {LIST}", workspace::shown(&library));
    } else {
        workspace::write(&path, &text)?;
        println!("wrote the {count} names that {} exports to {LIST}", workspace::shown(&library));
    }
    Ok(())
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
