//! Crates of the workspace, with the files that each is read from.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Deserialize;

use crate::workspace;

/// Package of the workspace, as cargo describes it ("Cargo book", cargo metadata).
#[derive(Deserialize)]
pub(super) struct Crate {
    pub(super) name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Target {
    src_path: PathBuf,
}

#[derive(Deserialize)]
struct Dependency {
    kind: Option<String>,
    path: Option<PathBuf>,
}

/// All packages.
pub(super) fn of_workspace() -> Result<Vec<Crate>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Crate>,
    }
    let command = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    Ok(serde_json::from_str::<Metadata>(&workspace::read(workspace::cargo().args(command))?)?.packages)
}

impl Crate {
    /// Its folder in the workspace.
    pub(super) fn folder(&self) -> String {
        self.manifest_path.parent().map(workspace::shown).unwrap_or_default()
    }

    /// Files from which its library, its programs and its tests are compiled.
    pub(super) fn roots(&self) -> impl Iterator<Item = &Path> {
        self.targets.iter().map(|target| target.src_path.as_path())
    }

    /// Folders of the workspace's crates that it depends on, without dependencies of its tests.
    pub(super) fn uses(&self) -> impl Iterator<Item = String> {
        let used = self.dependencies.iter().filter(|used| used.kind.as_deref() != Some("dev"));
        used.filter_map(|used| used.path.as_deref()).map(workspace::shown)
    }
}
