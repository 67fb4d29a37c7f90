//! Portable build: it runs with the C library of this system, and with newer and much older ones.
//!
//! It is linked with stubs in place of the C library (`packaging/stubs.sh`). Paths of this machine are replaced in it, so that another
//! machine builds the same bytes.

pub(crate) mod imports;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{install, workspace};

/// Builds the stubs, and returns their folder.
fn stubs() -> Result<PathBuf> {
    let folder = workspace::target().join("stubs");
    workspace::run(install::script("stubs.sh").arg(&folder))?;
    Ok(folder)
}

/// Builds the command and its libraries, and returns their folder.
///
/// # Errors
/// If the build fails, or a file imports a symbol that old C libraries don't have.
pub(crate) fn build() -> Result<PathBuf> {
    let (target, stubs) = (workspace::processor_target(), stubs()?);
    let mut flags = vec!["-C".to_owned(), format!("link-arg=-L{}", stubs.display())];
    flags.extend(replaced_paths()?.iter().map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display())));
    // Added to the flags in .cargo/config.toml, and not applied to build scripts. `RUSTFLAGS` would replace all of these flags.
    let flags = format!("target.{target}.rustflags={flags:?}");
    let build = |profile: &str, what: &[&str]| {
        let mut cargo = workspace::cargo();
        cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS").args(["build", "--locked"]).args(what);
        workspace::run(cargo.args(["--profile", profile, "--target", &target, "--config", &flags]))
    };
    // The command's crates are compiled once, for it. The libraries share few of them.
    build("release", &["--lib"])?;
    build("portable-command", &["--package", "ora-cli", "--bin", "ora"])?;
    let built = workspace::target().join(&target);
    let (folder, command) = (built.join("release"), built.join("portable-command/ora"));
    let place = folder.join("ora");
    // It may be a hard link to the file that cargo keeps for itself, which must stay unchanged.
    if place.exists() {
        fs::remove_file(&place).with_context(|| format!("can't replace {}", place.display()))?;
    }
    fs::copy(&command, &place).with_context(|| format!("can't copy {}", command.display()))?;
    imports::are_of_stubs(&install::binaries(&folder), &stubs)?;
    Ok(folder)
}

/// Folders of this machine whose paths compilers write into files, with the names that replace them.
fn replaced_paths() -> Result<Vec<(PathBuf, String)>> {
    let sources = workspace::cargo_home().join("registry/src");
    let mut paths: Vec<(PathBuf, String)> = Vec::new();
    for registry in fs::read_dir(&sources).with_context(|| format!("can't read {}", sources.display()))? {
        paths.push((registry?.path(), "/crates".to_owned()));
    }
    let rustc =
        |arguments: &[&str]| workspace::read(Command::new("rustc").current_dir(workspace::root()).args(arguments));
    let version = rustc(&["--version", "--verbose"])?;
    let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: ")).unwrap_or("unknown");
    let library = Path::new(rustc(&["--print", "sysroot"])?.trim()).join("lib/rustlib/src/rust");
    paths.push((library, format!("/rustc/{commit}")));
    paths.push((workspace::root(), "/ora".to_owned()));
    Ok(paths)
}
