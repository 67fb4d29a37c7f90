//! Archives: the tarball with `install.sh`, debug information, and the sources.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{install, portable, workspace};

/// Packs an installation that its user unpacks anywhere, and returns the archive's path.
///
/// # Errors
/// If a file can't be copied, or `tar` fails.
pub(crate) fn tarball(built: &Path) -> Result<PathBuf> {
    let name = named("linux");
    let root = workspace::target().join("tarball").join(&name);
    install::put_all(&install::Place::packaged(Path::new("/"), &root, built)?)?;
    install::put_scripts(&root)?;
    pack(&root)
}

/// Packs the debug information of the build: line tables, in the folders in which debuggers search below
/// `/usr/lib/debug` (gdb, "Separate Debug Files").
///
/// # Errors
/// If a file has no build ID, or a program fails.
pub(crate) fn debug(built: &Path) -> Result<PathBuf> {
    let root = workspace::target().join("debug-information").join(named("debug"));
    workspace::empty(&root)?;
    for file in install::binaries(built) {
        let notes = workspace::read(Command::new("readelf").arg("--notes").arg(&file))?;
        let id = notes.lines().find_map(|line| line.trim().strip_prefix("Build ID: "));
        let (first, rest) = id.and_then(|id| id.split_at_checked(2)).context("a file has no build ID")?;
        let folder = root.join(".build-id").join(first);
        fs::create_dir_all(&folder)?;
        let to = folder.join(format!("{rest}.debug"));
        workspace::run(Command::new("objcopy").args(["-D", "--only-keep-debug"]).arg(&file).arg(&to))?;
        fs::set_permissions(&to, fs::Permissions::from_mode(0o644))?;
    }
    pack(&root)
}

/// Packs the last commit's sources.
///
/// # Errors
/// If git or a compressor fails.
pub(crate) fn sources() -> Result<PathBuf> {
    let name = format!("ora-{}", env!("CARGO_PKG_VERSION"));
    let archive = workspace::target().join("dist").join(format!("{name}.tar"));
    workspace::run(
        Command::new("git")
            .current_dir(workspace::root())
            .args(["archive", "--format=tar", &format!("--prefix={name}/"), "HEAD", "--output"])
            .arg(&archive),
    )?;
    compress(&archive)
}

/// Name of a package for this kind of processor.
fn named(kind: &str) -> String {
    format!("ora-{}-{}-{kind}", env!("CARGO_PKG_VERSION"), portable::processor())
}

/// Packs a folder in `target/dist`. Order, owners and times don't depend on this machine.
fn pack(folder: &Path) -> Result<PathBuf> {
    let (parent, name) = (folder.parent().context("no folder")?, folder.file_name().context("no name")?);
    let dist = workspace::target().join("dist");
    fs::create_dir_all(&dist)?;
    let mut archive = dist.join(name).into_os_string();
    archive.push(".tar");
    workspace::run(
        Command::new("tar")
            .args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=gnu"])
            .args(["--mode=u=rwX,go=rX", &format!("--mtime=@{}", workspace::epoch()?), "--file"])
            .arg(&archive)
            .arg("-C")
            .arg(parent)
            .arg(name),
    )?;
    compress(Path::new(&archive))
}

/// Compresses an archive in its place, without its name and time.
fn compress(archive: &Path) -> Result<PathBuf> {
    workspace::run(Command::new("gzip").args(["-9", "-n", "--force"]).arg(archive))?;
    Ok(archive.with_extension("tar.gz"))
}
