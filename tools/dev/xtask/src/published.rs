//! The crates for crates.io.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::workspace;

/// Their names. Installations have the first two.
const CRATES: [&str; 4] = ["ompt-abi", "ompt-tool", "omp-collector-client", "otf2-writer"];

/// Packs them, and builds each from its package, as others will.
pub(crate) fn build() -> Result<()> {
    workspace::run(&mut packing())
}

/// Packs them, and returns the folder.
pub(crate) fn packages() -> Result<PathBuf> {
    workspace::run(packing().arg("--no-verify"))?;
    Ok(workspace::target().join("package"))
}

/// Cargo's command for that, which also works before a commit.
fn packing() -> Command {
    let mut package = workspace::cargo();
    package.args(["package", "--quiet", "--offline", "--allow-dirty", "--exclude-lockfile"]);
    package.args(CRATES.iter().flat_map(|name| ["--package", name]));
    package
}
