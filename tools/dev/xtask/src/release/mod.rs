//! A release: every package of the portable build, with a bill of materials and checksums, in `target/dist`.

mod sbom;
pub(crate) mod trial;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{difference, fetched, install, portable, workspace};

/// Python tools that pack and check the wheel.
const PYTHON_TOOLS: &str = "packaging/requirements.txt";

/// List of checksums.
const SUMS: &str = "SHA256SUMS";

/// Builds the release of the checked-out commit.
///
/// # Errors
/// If files differ from the commit's, or a step fails.
pub(crate) fn build() -> Result<()> {
    let changes = changes()?;
    ensure!(changes.is_empty(), "a release is built from a commit, and these files differ from it:\n{changes}");
    // What is missing is said before a long build.
    debhelper().and_then(|()| python_tools())?;
    let dist = workspace::target().join("dist");
    workspace::empty(&dist)?;
    let built = portable::build()?;
    for package in [wheel_of(&built)?, debian_of(&built)?].concat() {
        let to = dist.join(package.file_name().context("a package without a name")?);
        fs::copy(&package, &to).with_context(|| format!("can't copy {}", package.display()))?;
    }
    workspace::run(packing(&built, "archives.sh")?.arg(&dist))?;
    sbom::write()?;
    let sums = sums(&dist)?;
    workspace::write(&dist.join(SUMS), &sums)?;
    print!("{} has:\n{sums}", workspace::shown(&dist));
    Ok(())
}

/// Files that differ from the checked-out commit's, one per line.
pub(crate) fn changes() -> Result<String> {
    let status = ["status", "--porcelain", "--untracked-files=no"];
    workspace::read(Command::new("git").current_dir(workspace::root()).args(status))
}

/// Checksums of a folder's files, in the format of `sha256sum`.
fn sums(dist: &Path) -> Result<String> {
    workspace::read(Command::new("sh").current_dir(dist).args(["-c", "sha256sum *"]).env("LC_ALL", "C"))
}

/// Command that runs a script of `packaging/` that packages a build.
fn packing(built: &Path, script: &str) -> Result<Command> {
    let mut command = install::script_on(built, script)?;
    command.env("SOURCE_DATE_EPOCH", workspace::epoch()?);
    Ok(command)
}

/// Fails without the programs that make Debian's packages.
fn debhelper() -> Result<()> {
    let obstacle = requirements::DEBHELPER.obstacle();
    ensure!(obstacle.is_none(), "{}. Next: apt-get install debhelper", obstacle.unwrap_or_default());
    Ok(())
}

/// Builds the wheel in `target/wheels`.
pub(crate) fn wheel() -> Result<Vec<PathBuf>> {
    python_tools()?;
    wheel_of(&portable::build()?)
}

fn wheel_of(built: &Path) -> Result<Vec<PathBuf>> {
    let (folder, tools) = (workspace::target().join("wheels"), python_tools()?.join("bin"));
    let mut path = tools.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    workspace::run(packing(built, "wheel.sh")?.arg(&folder).env("PATH", path))?;
    packages(&folder, "whl")
}

/// Builds Debian's packages in `target/debian`.
pub(crate) fn debian() -> Result<Vec<PathBuf>> {
    debhelper()?;
    debian_of(&portable::build()?)
}

fn debian_of(built: &Path) -> Result<Vec<PathBuf>> {
    let folder = workspace::target().join("debian");
    workspace::run(packing(built, "debian.sh")?.arg(&folder))?;
    packages(&folder, "deb")
}

/// Packages in a folder, which are also printed.
fn packages(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let files = fs::read_dir(folder)?.flatten().map(|file| file.path());
    let found: Vec<_> = files.filter(|file| file.extension().is_some_and(|its| its == extension)).collect();
    ensure!(!found.is_empty(), "{} has no package", folder.display());
    found.iter().for_each(|file| println!("the package is {}", workspace::shown(file)));
    Ok(found)
}

/// Python environment with the tools for wheels, in the target folder.
pub(crate) fn python_tools() -> Result<PathBuf> {
    let (folder, wanted) = (workspace::target().join("packaging"), workspace::root().join(PYTHON_TOOLS));
    let (list, wanted_text) = (folder.join("requirements.txt"), fs::read_to_string(&wanted)?);
    if !fs::read_to_string(&list).is_ok_and(|installed| installed == wanted_text) {
        fetched::environment(&folder, &wanted)?;
        workspace::write(&list, &wanted_text)?;
    }
    Ok(folder)
}

/// Builds the release twice: here, and in a new checkout with its own target folder. Fails if a byte differs.
///
/// # Errors
/// If a build fails, or the lists of checksums differ.
pub(crate) fn reproduces() -> Result<()> {
    build()?;
    let other = workspace::target().join("reproduced");
    workspace::empty(&other)?;
    let checkout = other.join("checkout");
    workspace::run(Command::new("git").args(["clone", "--quiet", "--no-local"]).arg(workspace::root()).arg(&checkout))?;
    let mut again = workspace::cargo();
    again.current_dir(&checkout).args(["run", "--quiet", "--package", "xtask", "--", "release"]);
    workspace::run(again.env("CARGO_TARGET_DIR", other.join("target")).env_remove("CARGO_MANIFEST_DIR"))?;
    let here = fs::read_to_string(workspace::target().join("dist").join(SUMS))?;
    let there = other.join("target/dist").join(SUMS);
    difference::check(&there, &here, "compare the files of the two folders with diffoscope")?;
    println!("{} files are the same in two builds", here.lines().count());
    Ok(())
}
