//! The crates of the workspace, with the files that each is read from.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace;

/// A package of the workspace.
pub(super) struct Crate {
    pub(super) name: String,
    /// Files from which its library, its programs and its tests are compiled.
    pub(super) roots: Vec<PathBuf>,
}

/// All packages, as cargo names them.
pub(super) fn of_workspace() -> Result<Vec<Crate>> {
    let text =
        workspace::read(workspace::cargo().args(["metadata", "--no-deps", "--offline", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&text)?;
    let packages = metadata.get("packages").and_then(Value::as_array).context("cargo names no packages")?;
    packages.iter().map(|package| of_package(package).context("cargo's description of a package")).collect()
}

fn of_package(package: &Value) -> Option<Crate> {
    let roots = package
        .get("targets")?
        .as_array()?
        .iter()
        .filter_map(|target| target.get("src_path")?.as_str())
        .map(PathBuf::from);
    Some(Crate { name: package.get("name")?.as_str()?.to_owned(), roots: roots.collect() })
}
