//! Crates of the workspace, with the files that each is read from.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace;

/// Package of the workspace.
pub(super) struct Crate {
    pub(super) name: String,
    /// Its folder in the workspace.
    pub(super) folder: String,
    /// Files from which its library, its programs and its tests are compiled.
    pub(super) roots: Vec<PathBuf>,
    /// Folders of the workspace's crates that it depends on, without dependencies of its tests.
    pub(super) uses: Vec<String>,
}

/// All packages, as cargo lists them.
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
    let uses = package.get("dependencies")?.as_array()?.iter();
    let uses = uses.filter(|used| used.get("kind").and_then(Value::as_str) != Some("dev"));
    let uses = uses.filter_map(|used| folder(used.get("path")?.as_str()?.as_ref()));
    let manifest: &Path = package.get("manifest_path")?.as_str()?.as_ref();
    Some(Crate {
        name: package.get("name")?.as_str()?.to_owned(),
        folder: folder(manifest.parent()?)?,
        roots: roots.collect(),
        uses: uses.collect(),
    })
}

/// Path of a folder in the workspace.
fn folder(path: &Path) -> Option<String> {
    Some(path.strip_prefix(workspace::root()).ok()?.to_str()?.to_owned())
}
