//! `libora_pomp.a`: the library as an archive, for programs that are linked statically with the OpenMP runtime and the collectors.

use std::ffi::OsString;

use anyhow::{Context, Result};

use crate::workspace;

/// Builds the archive in the folder of the release build, and returns its path.
pub(crate) fn build() -> Result<OsString> {
    // A build of its own: its features must not get into other builds.
    let folder = workspace::target().join("linked");
    let arguments =
        ["rustc", "--release", "--package", "ora", "--lib", "--features", "linked", "--crate-type", "staticlib"];
    workspace::run(workspace::cargo().args(arguments).arg("--target-dir").arg(&folder))?;
    let (built, archive) = (folder.join("release/libora.a"), workspace::target().join("release/libora_pomp.a"));
    std::fs::copy(&built, &archive).with_context(|| format!("can't copy {}", built.display()))?;
    println!("built {}", workspace::shown(&archive));
    Ok(archive.into_os_string())
}
