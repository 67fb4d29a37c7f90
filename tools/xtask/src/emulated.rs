//! The compat tests on another processor: its programs are compiled by a cross compiler and run by an emulator. The tests
//! themselves run natively.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use crate::root::{self, Root};
use crate::{install, test_programs, workspace};

/// A processor that is emulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Processor {
    /// 64-bit ARM
    Aarch64,
}

/// The release of Debian whose compilers and libraries are taken.
const SUITE: &str = "sid";
const TARGET: &str = "aarch64-unknown-linux-gnu";
const TOOLS: &str = "aarch64-linux-gnu";
const PACKAGES: [&str; 15] = [
    "cargo",
    "file",
    "g++",
    "g++-aarch64-linux-gnu",
    "gcc",
    "gcc-aarch64-linux-gnu",
    "gfortran-aarch64-linux-gnu",
    "libc6:arm64",
    "libc6-dev",
    "libgfortran5:arm64",
    "libgomp1:arm64",
    "libstd-rust-dev:arm64",
    "libstdc++6:arm64",
    "qemu-user",
    "rustc",
];

/// The first bytes of a program for the processor, and a mask of those that count, as `binfmt_misc` takes them (Linux,
/// Documentation/admin-guide/binfmt-misc.rst; qemu, scripts/qemu-binfmt-conf.sh).
const MAGIC: &str = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00";
const MASK: &str = r"\xff\xff\xff\xff\xff\xff\xff\xfc\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff";

/// Packages whose tests run, and those of their tests that can't: by the begin of their names, with the reason.
const TESTS: [(&str, &[(&str, &str)]); 3] = [("compat-tests", &[]), ("ora-cli", &[]), ("validator", &[])];

/// Runs the tests whose names have one of `words`, all without any.
pub(crate) fn run(processor: Processor, words: &[String]) -> Result<()> {
    let Processor::Aarch64 = processor;
    let mut root = root::make(SUITE, &PACKAGES)?;
    let built = build(&mut root)?;
    let place = workspace::target().join("emulated");
    show(&mut root, &place)?;
    let emulator = root.inside(Path::new("/usr/bin/qemu-aarch64"));
    root.emulate(format!(":aarch64:M::{MAGIC}:{MASK}:{}:PF", emulator.display()));
    // Tests name the native products.
    let native = workspace::target().join("release");
    for (from, to) in install::binaries(&built).iter().zip(install::binaries(&native)) {
        root.show_file(from, &to);
    }
    let mut failed = Vec::new();
    for (package, skipped) in TESTS {
        for (test, reason) in skipped {
            println!("SKIPPED on emulated aarch64: {test}: {reason}");
        }
        let skips = skipped.iter().flat_map(|(test, _)| ["--skip", *test]).map(str::to_owned);
        let arguments: Vec<String> = words.iter().cloned().chain(skips).collect();
        let variables = [("ORA_LIB".to_owned(), native.join("libora.so").into_os_string())];
        if let Err(error) = test_programs::run_in(&root, package, &arguments, &variables) {
            failed.push(format!("{error:#}"));
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

/// Builds the products in the root, with its Rust and the crates that cargo has fetched here, and returns their folder.
fn build(root: &mut Root) -> Result<PathBuf> {
    workspace::run(workspace::cargo().args(["fetch", "--quiet", "--target", TARGET]))?;
    let home = env::var_os("CARGO_HOME")
        .map_or_else(|| PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cargo"), PathBuf::from);
    let target = workspace::target().join("emulated/target");
    fs::create_dir_all(&target).with_context(|| format!("can't create {}", target.display()))?;
    root.show(&workspace::root())?;
    root.show_at(&home.join("registry"), Path::new("/root/.cargo/registry"))?;
    if !target.starts_with(workspace::root()) {
        root.show(&target)?;
    }
    let mut command = root.command_in(&workspace::root(), "cargo");
    command.args(["build", "--release", "--offline", "--target", TARGET]);
    command.env("CARGO_TARGET_DIR", &target);
    command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", format!("{TOOLS}-gcc"));
    workspace::run(&mut command)?;
    Ok(target.join(TARGET).join("release"))
}

/// Shows a folder for the tests' products, and the cross compilers under the names by which tests call compilers.
fn show(root: &mut Root, place: &Path) -> Result<()> {
    let (products, tools) = (place.join("tmp"), place.join("bin"));
    for folder in [&products, &tools] {
        fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
    }
    for name in ["gcc", "g++", "gfortran"] {
        let script = tools.join(name);
        // Warnings are for the native tests.
        workspace::write(&script, &format!("#!/bin/sh\nexec /usr/bin/{TOOLS}-{name} \"$@\" -w\n"))?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))
            .with_context(|| format!("can't make {} executable", script.display()))?;
    }
    root.show_at(&products, &workspace::target().join("tmp"))?;
    root.show_at(&tools, Path::new("/usr/local/bin"))
}
