//! Compat tests, and those of `ora hang`, in another release of Debian: its compilers build the test programs, and its runtimes run them.
//! The library, the command and the tests themselves are those that were built here.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::iter;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use crate::root::{self, Root};
use crate::{needs, runtimes, test_programs, workspace};

/// Release of Debian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Release {
    /// Debian 13
    Trixie,
    /// Debian's unstable release
    Sid,
}

impl Release {
    /// Its name, its releases of gcc, and the release of LLVM that its package `clang` refers to. Its libgomp belongs to the first gcc.
    fn description(self) -> (&'static str, &'static [u32], u32) {
        match self {
            Self::Trixie => ("trixie", &[14], 19),
            Self::Sid => ("sid", &[16, 15, 14], 21),
        }
    }
}

/// Prefix of the names of the tests of `ora hang`.
const HANG: &str = "hang::";
/// Compilers of a gcc release, without its number.
const COMPILERS: [&str; 3] = ["gcc", "g++", "gfortran"];

/// Runs that are part of `cargo xtask test --long`.
pub(crate) const RUNS: [(&str, Release, u32); 2] =
    [("compat tests on trixie, gcc 14", Release::Trixie, 14), ("compat tests on sid, gcc 16", Release::Sid, 16)];

/// Runs the compat tests whose names contain one of `words`, or all if there are none, with a release of gcc, by default the newest.
pub(crate) fn run(release: Release, gcc: Option<u32>, words: &[String]) -> Result<()> {
    let (name, gccs, llvm) = release.description();
    let gcc = gcc.or(gccs.first().copied()).unwrap_or_default();
    ensure!(gccs.contains(&gcc), "{name} is tried with gcc {gccs:?} only");
    let compilers = gccs.iter().flat_map(|gcc| COMPILERS.map(|name| format!("{name}-{gcc}")));
    let mut root = root::make(name, &needs::packages(llvm).chain(compilers).collect::<Vec<_>>())?;
    workspace::run(workspace::cargo().args(["build", "--release"]))?;
    let library = workspace::library()?;
    // The tests' products are identified by the compiler's name, which is the same here and in the root.
    let place = workspace::target().join(format!("distro/{name}-gcc-{gcc}"));
    show(&mut root, &place)?;
    links(&mut root, &place.join("bin"), gcc)?;
    if gcc == runtimes::LIBGOMP {
        root.show_file(&runtimes::libgomp()?, Path::new("/usr/lib/x86_64-linux-gnu/libgomp.so.1"));
    }
    let mut variables = vec![
        // Everything that a test needs is installed, so a missing part is an error.
        ("CI".to_owned(), OsString::from("true")),
        ("ORA_TEST_PYTHON".to_owned(), python(&root, &place)?.into_os_string()),
        ("ORA_LIB".to_owned(), library.into_os_string()),
        ("ORA_TEST_LLVM".to_owned(), OsString::from(llvm.to_string())),
    ];
    variables.extend(of_cargo());
    let of_hang = of_hang(words).map(|words| ("ora-cli", words));
    let runs = iter::once(("compat-tests", words.to_vec())).chain(of_hang);
    let failed = runs.filter_map(|(package, words)| test_programs::run_in(&root, package, &words, &variables).err());
    let failed: Vec<_> = failed.map(|error| format!("{error:#}")).collect();
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

/// Words that select tests of `ora hang`, the only tests of the command that run in the root: `ora hang` reads data that the runtime and
/// the C library keep in memory, which differ between releases. `None` if no word applies to them.
fn of_hang(words: &[String]) -> Option<Vec<String>> {
    if words.is_empty() {
        return Some(vec![HANG.to_owned()]);
    }
    let words: Vec<_> = words.iter().filter(|word| word.starts_with(HANG)).cloned().collect();
    (!words.is_empty()).then_some(words)
}

/// Variables that let tests that call cargo use the existing build.
fn of_cargo() -> Vec<(String, OsString)> {
    let starts = ["CARGO_TARGET_DIR", "CARGO_PROFILE_", "RUSTUP_"];
    let named = env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let kept = named.filter(|(name, _)| starts.iter().any(|start| name.starts_with(start)));
    // Cargo passes its own path to the programs that it runs; rustc is in the same folder.
    let cargo = env::var_os("CARGO").map(PathBuf::from).unwrap_or_default();
    let tools = [("RUSTC", cargo.with_file_name("rustc")), ("CARGO", cargo), ("CARGO_HOME", workspace::cargo_home())];
    kept.chain(tools.map(|(name, path)| (name.to_owned(), path.into_os_string()))).collect()
}

/// Makes the project, Rust's tools, and a folder for the tests' products visible in the root.
fn show(root: &mut Root, place: &Path) -> Result<()> {
    let target = workspace::target();
    root.show(&workspace::root())?;
    if !target.starts_with(workspace::root()) {
        root.show(&target)?;
    }
    for folder in rust() {
        root.show(&folder)?;
    }
    root.show_at(&place.join("tmp"), &target.join("tmp"))
}

/// Links the gcc release to the names by which the tests call it.
fn links(root: &mut Root, folder: &Path, gcc: u32) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
    for (name, of) in COMPILERS.map(|name| (name, name)).into_iter().chain([("cc", "gcc")]) {
        let link = folder.join(name);
        if !link.is_symlink() {
            symlink(format!("/usr/bin/{of}-{gcc}"), &link).with_context(|| format!("no link {}", link.display()))?;
        }
    }
    root.show_at(folder, Path::new("/usr/local/bin"))
}

/// Python of the root with the packages that the tests need, which are fetched here, where pip is configured.
fn python(root: &Root, place: &Path) -> Result<PathBuf> {
    let (folder, wheels) = (place.join("python"), place.join("wheels"));
    let python = folder.join("bin/python");
    let complete = ["-c", "import sklearn, lightgbm, duckdb"];
    if python.is_symlink() && workspace::read(root.command(&python).args(complete)).is_ok() {
        return Ok(python);
    }
    let print = ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"];
    let version = workspace::read(root.command("python3").args(print))?;
    let requirements = workspace::root().join("compat-tests/python/requirements.txt");
    let download = ["-m", "pip", "download", "--quiet", "--only-binary=:all:", "--python-version", version.trim()];
    let mut fetch = Command::new("python3");
    workspace::run(fetch.args(download).arg("--dest").arg(&wheels).arg("--requirement").arg(&requirements))?;
    workspace::run(root.command("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let install = ["-m", "pip", "install", "--quiet", "--no-index", "--no-compile", "--find-links"];
    let mut install_them = root.command(&python);
    workspace::run(install_them.args(install).arg(&wheels).arg("--requirement").arg(&requirements))?;
    Ok(python)
}

/// Folders of cargo and rustc.
fn rust() -> Vec<PathBuf> {
    let rustup = || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".rustup");
    let rustup = env::var_os("RUSTUP_HOME").map_or_else(rustup, PathBuf::from);
    [workspace::cargo_home(), rustup].into_iter().filter(|folder| folder.is_dir()).collect()
}
