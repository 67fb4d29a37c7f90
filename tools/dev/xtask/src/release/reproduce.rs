//! Proof that a release is reproducible: another checkout in another folder builds the same bytes.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use super::SUMS;
use crate::{difference, workspace};

/// Builds the release twice: here, and in a new checkout with a target folder of its own. Fails if a byte differs.
///
/// # Errors
/// If a build fails, or the lists of checksums differ.
pub(crate) fn reproduces() -> Result<()> {
    super::build()?;
    let other = workspace::target().join("reproduced");
    workspace::empty(&other)?;
    let checkout = other.join("checkout");
    workspace::run(Command::new("git").args(["clone", "--quiet", "--no-local"]).arg(workspace::root()).arg(&checkout))?;
    workspace::run(
        workspace::cargo()
            .current_dir(&checkout)
            .args(["run", "--quiet", "--package", "xtask", "--", "release"])
            .env("CARGO_TARGET_DIR", other.join("target"))
            .env_remove("CARGO_MANIFEST_DIR"),
    )?;
    let here = workspace::target().join("dist").join(SUMS);
    let here = fs::read_to_string(&here).with_context(|| format!("can't read {}", here.display()))?;
    let there = other.join("target/dist").join(SUMS);
    difference::check(&there, &here, "compare the files of the two folders with diffoscope")?;
    println!("{} files are the same in two builds", here.lines().count());
    Ok(())
}
