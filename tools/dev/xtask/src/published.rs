//! Crates that are published on crates.io.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::workspace;

/// Names of the published crates. An installation has the sources of the first two.
pub(crate) const CRATES: [&str; 4] = ["ompt-abi", "ompt-tool", "omp-collector-client", "otf2-writer"];

/// Packs the published crates, and builds each from its package, as its users do.
pub(crate) fn build() -> Result<()> {
    workspace::run(&mut packing())
}

/// Packs the published crates, and returns the folder of the packages.
pub(crate) fn packages() -> Result<PathBuf> {
    workspace::run(packing().arg("--no-verify"))?;
    Ok(workspace::target().join("package"))
}

/// The cargo command that packs the published crates, even if the checkout has changes that are not committed.
fn packing() -> Command {
    let mut package = workspace::cargo();
    package.args(["package", "--quiet", "--offline", "--allow-dirty", "--exclude-lockfile"]);
    package.args(CRATES.iter().flat_map(|name| ["--package", name]));
    package
}
