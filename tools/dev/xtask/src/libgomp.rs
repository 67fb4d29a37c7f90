//! libgomp of gcc 15, built from the package of gcc's sources. No release of Debian has a package of it: Debian 13 has
//! gcc 14, and sid's gcc 15 comes with the libgomp of gcc 16.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{root, workspace};

/// The release of gcc.
pub(crate) const GCC: u32 = 15;

/// Package of sid's with the sources, as an archive in `/usr/src`.
const PACKAGE: &str = "gcc-15-source";

/// The parts of the archive that the build reads.
const PARTS: [&str; 12] = [
    "gcc-*/libgomp",
    "gcc-*/include",
    "gcc-*/config",
    "gcc-*/gcc/BASE-VER",
    "gcc-*/*.*",
    "gcc-*/install-sh",
    "gcc-*/libtool-ldflags",
    "gcc-*/move-if-change",
    "gcc-*/mkinstalldirs",
    "gcc-*/missing",
    "gcc-*/depcomp",
    "gcc-*/compile",
];

/// Path of the library, which is built by this system's gcc if it isn't there. Only root can fetch the sources.
pub(crate) fn library() -> Result<PathBuf> {
    let runtimes = workspace::target().join("runtimes");
    let library = runtimes.join(format!("libgomp-{GCC}.so"));
    if !library.is_file() {
        println!("building libgomp {GCC}");
        build(&runtimes.join(format!("libgomp-{GCC}")), &library)
            .with_context(|| format!("libgomp of gcc {GCC} can't be built from {PACKAGE} of Debian's sid"))?;
    }
    Ok(library)
}

fn build(folder: &Path, library: &Path) -> Result<()> {
    let sources = root::make("sid", &[PACKAGE])?;
    let archive = archive(&sources.inside(Path::new("/usr/src/gcc-15")))?;
    let (source, products) = (folder.join("source"), folder.join("products"));
    workspace::empty(&source)?;
    workspace::empty(&products)?;
    let mut unpack = Command::new("tar");
    unpack.arg("--directory").arg(&source).arg("--file").arg(archive);
    unpack.args(["--extract", "--strip-components=1", "--wildcards", "--no-wildcards-match-slash"]);
    workspace::run(unpack.args(PARTS))?;
    let mut configure = Command::new(source.join("libgomp/configure"));
    workspace::run(configure.args(["--quiet", "--disable-multilib", "--disable-werror"]).current_dir(&products))?;
    workspace::run(
        Command::new("make").args(["--silent", "--jobs=2", "LIBTOOLFLAGS=--silent"]).current_dir(&products),
    )?;
    let built = products.join(".libs/libgomp.so.1");
    fs::copy(&built, library).with_context(|| format!("no {} after the build", built.display()))?;
    fs::remove_dir_all(folder).with_context(|| format!("can't remove {}", folder.display()))
}

/// The only archive in the folder.
fn archive(folder: &Path) -> Result<PathBuf> {
    let files = fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    let found = files.flatten().map(|file| file.path()).find(|file| file.extension().is_some_and(|end| end == "xz"));
    found.with_context(|| format!("{} has no archive of gcc's sources", folder.display()))
}
