//! OpenMP runtimes in addition to the installed ones, and third-party tools, for the long tests and for `ora validate --matrix`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail, ensure};

use crate::{root, workspace};

/// Release of gcc whose libgomp no release of Debian packages: Debian 13 has gcc 14, and sid's gcc 15 comes with the libgomp of gcc 16.
pub(crate) const LIBGOMP: u32 = 15;

/// Folders of runtimes and tools.
fn folders() -> [PathBuf; 2] {
    ["runtimes", "tools"].map(|name| workspace::target().join(name))
}

/// Fetches everything except libgomp, and returns the folders of runtimes and of tools. Adds a warning for each that isn't available; on CI
/// that is an error.
pub(crate) fn prepare(warnings: &mut Vec<String>) -> Result<[OsString; 2]> {
    let folders = folders();
    let missing = workspace::read(workspace::compat_script("runtimes.sh").args(&folders).stderr(Stdio::inherit()))?;
    for name in missing.lines() {
        let missed = format!("{name} can't be fetched. Next: let apt-get (Debian) and pip reach their packages");
        if requirements::is_ci() {
            bail!("{missed}");
        }
        warnings.push(format!("its tests are SKIPPED: {missed}"));
    }
    Ok(folders.map(PathBuf::into_os_string))
}

/// Fetches or builds every runtime, and prints their paths. Fails if one isn't available.
pub(crate) fn all() -> Result<()> {
    let mut missing = Vec::new();
    let [folder, _] = prepare(&mut missing)?;
    missing.extend(libgomp().err().map(|error| format!("{error:#}")));
    let files = fs::read_dir(&folder).with_context(|| format!("can't read {}", Path::new(&folder).display()))?;
    let mut libraries: Vec<_> = files.flatten().map(|file| file.path()).filter(|path| path.is_file()).collect();
    libraries.sort();
    libraries.iter().for_each(|library| println!("{}", workspace::shown(library)));
    ensure!(missing.is_empty(), "{}", missing.join("\n"));
    Ok(())
}

/// Path of libgomp, which this system's gcc builds if it doesn't exist. Only root can fetch the sources.
pub(crate) fn libgomp() -> Result<PathBuf> {
    let library = workspace::target().join(format!("runtimes/libgomp-{LIBGOMP}.so"));
    if !library.is_file() {
        println!("building libgomp {LIBGOMP}");
        let package = format!("gcc-{LIBGOMP}-source");
        let sources = root::make("sid", &[&package])?.inside(Path::new(&format!("/usr/src/gcc-{LIBGOMP}")));
        workspace::run(workspace::compat_script("libgomp.sh").arg(sources).arg(&library))?;
    }
    Ok(library)
}
