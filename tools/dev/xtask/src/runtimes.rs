//! OpenMP runtimes for the long tests, beside the installed ones: LLVM's of other releases and Intel's; and tools of other
//! people. Debian's packages of them can't be installed side by side, so they are only unpacked, in the target folder.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{libgomp, workspace};

/// A runtime: the tests' name of it, its package, and its path in the package.
struct Runtime {
    name: &'static str,
    package: Package,
    file: &'static str,
}

enum Package {
    Debian(&'static str),
    Python(&'static str),
}

const RUNTIMES: [Runtime; 3] = [
    Runtime { name: "libomp-14", package: Package::Debian("libomp5-14"), file: "usr/lib/llvm-14/lib/libomp.so.5" },
    Runtime { name: "libomp-16", package: Package::Debian("libomp5-16"), file: "usr/lib/llvm-16/lib/libomp.so.5" },
    Runtime {
        name: "libiomp5",
        package: Package::Python("intel-openmp"),
        file: "intel_openmp-2026.2.0.data/data/lib/libiomp5.so",
    },
];

/// Tools: the tests' name, the package, and a file in it. EZTrace's package wants an LLVM runtime that excludes the newer
/// one; its library runs with either.
const TOOLS: [(&str, &str, &str); 1] = [("eztrace", "libeztrace0", "usr/lib/x86_64-linux-gnu/libeztrace-ompt.so")];

/// Folder with the runtimes, each as `NAME.so`. A runtime that isn't available adds a warning; on CI that is an error.
pub(crate) fn prepare(warnings: &mut Vec<String>) -> Result<OsString> {
    let folder = workspace::target().join("runtimes");
    fs::create_dir_all(&folder).with_context(|| format!("can't create {}", folder.display()))?;
    for runtime in &RUNTIMES {
        let library = folder.join(format!("{}.so", runtime.name));
        if library.is_file() {
            continue;
        }
        println!("fetching {}", runtime.name);
        if let Err(error) = fetch(runtime, &folder.join(runtime.name), &library) {
            missed(runtime.name, error, warnings)?;
        }
    }
    Ok(folder.into_os_string())
}

/// Fetches or builds every runtime, and prints their paths. A runtime that isn't available is an error.
pub(crate) fn all() -> Result<()> {
    let mut missing = Vec::new();
    let folder = prepare(&mut missing)?;
    if let Err(error) = libgomp::library() {
        missing.push(format!("{error:#}"));
    }
    let files = fs::read_dir(&folder).with_context(|| format!("can't read {}", Path::new(&folder).display()))?;
    let mut libraries: Vec<_> = files.flatten().map(|file| file.path()).filter(|path| path.is_file()).collect();
    libraries.sort();
    for library in libraries {
        println!("{}", workspace::shown(&library));
    }
    ensure!(missing.is_empty(), "{}", missing.join("\n"));
    Ok(())
}

/// Folder with the tools of other people that the tests use and that can't be installed beside the rest: each Debian
/// package unpacked in a folder of the tool's name. What isn't available is handled as in [`prepare`].
pub(crate) fn tools(warnings: &mut Vec<String>) -> Result<OsString> {
    let folder = workspace::target().join("tools");
    for (name, package, file) in TOOLS {
        let place = folder.join(name);
        if place.join(file).is_file() {
            continue;
        }
        println!("fetching {name}");
        if let Err(error) = unpack(package, &place) {
            missed(name, error, warnings)?;
        }
    }
    Ok(folder.into_os_string())
}

/// Notes that tests are skipped; on CI that is an error.
fn missed(name: &str, error: anyhow::Error, warnings: &mut Vec<String>) -> Result<()> {
    let next = "Next: let apt-get (Debian) and pip reach their packages";
    if requirements::is_ci() {
        return Err(error.context(next));
    }
    warnings.push(format!("the tests on {name} are SKIPPED: {error:#}. {next}"));
    Ok(())
}

/// Unpacks a package of Debian's.
fn unpack(package: &str, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
    workspace::run(Command::new("apt-get").current_dir(folder).args(["download", "--quiet", package]))?;
    workspace::run(Command::new("dpkg").arg("-x").arg(downloaded(folder, "deb")?).arg(folder))
}

/// Unpacks the package in a folder of its own, and copies the library.
fn fetch(runtime: &Runtime, folder: &Path, library: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
    match runtime.package {
        Package::Debian(package) => unpack(package, folder)?,
        Package::Python(package) => {
            let pip = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--dest"];
            let version = format!("{package}==2026.2.0");
            workspace::run(Command::new("python3").args(pip).arg(folder).arg(version))?;
            let wheel = downloaded(folder, "whl")?;
            workspace::run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(folder))?;
        }
    }
    let found = folder.join(runtime.file);
    fs::copy(&found, library).with_context(|| format!("no {} in the package", found.display()))?;
    Ok(())
}

/// Path of the downloaded file.
fn downloaded(folder: &Path, extension: &str) -> Result<std::path::PathBuf> {
    let files = fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut found = files.flatten().map(|file| file.path());
    match found.find(|path| path.extension().is_some_and(|e| e == extension)) {
        Some(path) => Ok(path),
        None => bail!("nothing was downloaded to {}", folder.display()),
    }
}
