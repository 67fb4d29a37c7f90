//! A release: every package of the portable build, with a bill of materials and checksums, in `target/dist`.

mod archives;
mod reproduce;
mod sbom;
pub(crate) mod trial;
pub(crate) mod wheel;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{install, portable, workspace};

pub(crate) use reproduce::reproduces;

/// The list of checksums.
const SUMS: &str = "SHA256SUMS";

/// Builds the release of the checked-out commit.
///
/// # Errors
/// If files differ from the commit's, or a step fails.
pub(crate) fn build() -> Result<()> {
    let changes = changes()?;
    ensure!(changes.is_empty(), "a release is built from a commit, and these files differ from it:\n{changes}");
    let dist = workspace::target().join("dist");
    workspace::empty(&dist)?;
    let built = portable::build()?;
    let elsewhere = [vec![wheel::build(&built)?], install::packages(&built)?].concat();
    for package in elsewhere {
        let to = dist.join(package.file_name().context("a package without a name")?);
        fs::copy(&package, &to).with_context(|| format!("can't copy {}", package.display()))?;
    }
    archives::tarball(&built)?;
    archives::debug(&built)?;
    archives::sources()?;
    sbom::write()?;
    let sums = sums(&dist)?;
    workspace::write(&dist.join(SUMS), &sums)?;
    print!("{} has:\n{sums}", workspace::shown(&dist));
    Ok(())
}

/// The files that differ from the checked-out commit's, a line for each.
pub(crate) fn changes() -> Result<String> {
    let status = ["status", "--porcelain", "--untracked-files=no"];
    workspace::read(Command::new("git").current_dir(workspace::root()).args(status))
}

/// The checksums of a folder's files, in the form of `sha256sum`.
fn sums(dist: &Path) -> Result<String> {
    workspace::read(Command::new("sha256sum").current_dir(dist).args(install::files(dist)?))
}
