//! The wheel `ora-openmp`: the command, its libraries, headers and man pages, for `pip install`.
//!
//! It has no Python code. pip puts what is in `scripts` and `data` below the environment's folder (Binary distribution
//! format, "The .data directory"), and the command finds its libraries in `../lib` from there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{install, portable, python, workspace};

/// Python's tools that pack and check it.
const TOOLS: &str = include_str!("../../templates/packaging.txt");
/// Platforms for pip: the newer and the older name of "any Linux with glibc 2.17".
const PLATFORMS: [&str; 2] = ["manylinux_2_17", "manylinux2014"];
/// Upper bound of what it takes when it is installed, in bytes.
const INSTALLED: u64 = 12_000_000;

/// Packs the wheel in `target/wheels`, and returns its path.
///
/// # Errors
/// If a step fails, it is too large, or `auditwheel` finds that its files don't suit the platforms in its name.
pub(crate) fn build(built: &Path) -> Result<PathBuf> {
    let version = env!("CARGO_PKG_VERSION");
    let (folder, root) = (workspace::target().join("wheels"), workspace::target().join("wheels/root"));
    workspace::empty(&root)?;
    let data = root.join(format!("ora_openmp-{version}.data"));
    let place = install::Place::packaged(Path::new("/"), &data.join("data"), built)?.for_wheel();
    install::put_all(&place)?;
    let (bin, scripts) = (data.join("data/bin"), data.join("scripts"));
    fs::rename(&bin, &scripts).with_context(|| format!("can't move {}", bin.display()))?;
    let about = root.join(format!("ora_openmp-{version}.dist-info"));
    workspace::write(&about.join("METADATA"), &metadata()?)?;
    workspace::write(&about.join("WHEEL"), &tags())?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let text =
            fs::read_to_string(workspace::root().join(licence)).with_context(|| format!("can't read {licence}"))?;
        workspace::write(&about.join("licenses").join(licence), &text)?;
    }
    let size = size(&root)?;
    ensure!(size <= INSTALLED, "installed, the wheel takes {size} bytes: more than {INSTALLED}");
    let tools = tools()?;
    for old in fs::read_dir(&folder)?.flatten().filter(|file| file.path().extension().is_some_and(|e| e == "whl")) {
        fs::remove_file(old.path())?;
    }
    let packed = workspace::read(
        module(&tools, "wheel")
            .args(["pack", "--dest-dir"])
            .arg(&folder)
            .arg(&root)
            .env("SOURCE_DATE_EPOCH", workspace::epoch()?),
    )?;
    let Some(wheel) =
        fs::read_dir(&folder)?.flatten().map(|file| file.path()).find(|f| f.extension().is_some_and(|e| e == "whl"))
    else {
        bail!("`wheel pack` has left no wheel, and says: {packed}");
    };
    suits(&tools, &wheel)?;
    println!("the wheel is {}, {:.1} MB installed", workspace::shown(&wheel), size as f64 / 1e6);
    Ok(wheel)
}

/// The file about the package (Core metadata specifications, 2.4).
fn metadata() -> Result<String> {
    let about = fs::read_to_string(workspace::root().join("README.md")).context("can't read README.md")?;
    Ok(format!(
        "Metadata-Version: 2.4\nName: ora-openmp\nVersion: {}\n\
         Summary: Where an OpenMP program's threads spend their time, on every OpenMP runtime\n\
         Keywords: openmp,profiling,performance,ompt\n\
         License-Expression: MIT OR Apache-2.0\nLicense-File: LICENSE-MIT\nLicense-File: LICENSE-APACHE\n\
         Classifier: Environment :: Console\nClassifier: Operating System :: POSIX :: Linux\n\
         Classifier: Programming Language :: C\nClassifier: Programming Language :: Fortran\n\
         Classifier: Programming Language :: Rust\nClassifier: Topic :: Software Development :: Debuggers\n\
         Classifier: Topic :: System :: Distributed Computing\n\
         Requires-Python: >=3\nDescription-Content-Type: text/markdown\n\n{about}",
        env!("CARGO_PKG_VERSION"),
    ))
}

/// The file about the wheel, with its tags: any Python, and the platforms.
fn tags() -> String {
    let processor = portable::processor();
    let tags: String = PLATFORMS.iter().map(|platform| format!("Tag: py3-none-{platform}_{processor}\n")).collect();
    format!("Wheel-Version: 1.0\nGenerator: cargo xtask wheel\nRoot-Is-Purelib: false\n{tags}")
}

/// Size of the files below a folder, in bytes.
fn size(folder: &Path) -> Result<u64> {
    let files = install::files(folder)?;
    files.iter().map(|file| Ok(fs::metadata(folder.join(file))?.len())).sum()
}

/// The folder with the commands of Python's tools, which are installed in the target folder.
pub(crate) fn tools() -> Result<PathBuf> {
    let folder = workspace::target().join("packaging");
    let (commands, list) = (folder.join("bin"), folder.join("packaging.txt"));
    if fs::read_to_string(&list).is_ok_and(|installed| installed == TOOLS) {
        return Ok(commands);
    }
    python::environment(&folder, &workspace::root().join("tools/dev/xtask/templates/packaging.txt"))?;
    workspace::write(&list, TOOLS)?;
    Ok(commands)
}

/// A module of Python's tools as a command. In a root their own Python may be missing; the variable `PYTHONPATH` leads another
/// one to them.
fn module(tools: &Path, name: &str) -> Command {
    let own = tools.join("python3");
    let mut command = Command::new(if own.exists() { own } else { PathBuf::from("python3") });
    command.args(["-m", name]);
    command
}

/// Fails unless `auditwheel` finds that the wheel's files run on the older platforms of its name.
fn suits(tools: &Path, wheel: &Path) -> Result<()> {
    let path = std::env::var("PATH").unwrap_or_default();
    let said = workspace::read(
        module(tools, "auditwheel").arg("show").arg(wheel).env("PATH", format!("{}:{path}", tools.display())),
    )?;
    let words: Vec<&str> = said.split_whitespace().collect();
    let tag = format!("\"{}_{}\".", PLATFORMS[0], portable::processor());
    ensure!(words.contains(&&*tag), "auditwheel doesn't find {tag}: {said}");
    Ok(())
}
