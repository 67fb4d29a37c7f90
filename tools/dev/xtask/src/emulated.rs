//! Tests on another processor: a cross compiler compiles their programs and an emulator runs them. The tests themselves run natively.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

use crate::root::{self, Root};
use crate::{install, reasons, release, test_programs, workspace};

/// Emulated processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Processor {
    /// 64-bit ARM
    Aarch64,
}

/// The processor's name in gcc's commands and the emulator.
const NAME: &str = "aarch64";
/// Rust's target, and cargo's variable that names its linker.
const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER";
/// Debian's name for the architecture.
const ARCHITECTURE: &str = "arm64";

/// Release of Debian whose compilers and libraries are used.
const SUITE: &str = "sid";
/// Packages of the root: its own, cross compilers, and libraries for the emulated processor.
const PACKAGES: &str = "cargo file g++ gcc libc6-dev qemu-user rustc \
    g++-aarch64-linux-gnu gcc-aarch64-linux-gnu gfortran-aarch64-linux-gnu \
    libc6:arm64 libgfortran5:arm64 libgomp1:arm64 libstdc++6:arm64 libstd-rust-dev:arm64";
/// Packages that packaging needs in addition.
const PACKING: &str = "debhelper git python3 python3-venv";

/// Line that makes the kernel start the emulator for the processor's programs: their first bytes, and a mask of the significant ones
/// (Linux, Documentation/admin-guide/binfmt-misc.rst; qemu, scripts/qemu-binfmt-conf.sh).
fn format(root: &Root) -> String {
    let magic = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00";
    let mask = r"\xff\xff\xff\xff\xff\xff\xff\xfc\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff";
    let emulator = root.inside(&Path::new("/usr/bin").join(format!("qemu-{NAME}")));
    format!(":{NAME}:M::{magic}:{mask}:{}:PF", emulator.display())
}

/// Packages whose tests run there, and the tests among them that can't.
const UNEMULATED: &str = include_str!("../templates/unemulated.txt");
/// Commands that tests start or name, which must be programs for the emulated processor to be watched.
const COMMANDS: [&str; 8] = ["cat", "dash", "echo", "env", "false", "ls", "sleep", "true"];
/// Folder of a root with these commands.
const OWN: &str = "/opt/own";

/// Runs the tests whose names contain one of `words`, or all if there are none.
pub(crate) fn run(words: &[String]) -> Result<()> {
    let mut root = root::make(SUITE, &PACKAGES.split(' ').collect::<Vec<_>>())?;
    let place = workspace::target().join(format!("emulated/{NAME}"));
    let built = build(&mut root, &place)?;
    root.show_at(&place.join("tmp"), &workspace::target().join("tmp"))?;
    compilers(&mut root, &place)?;
    // Done first, because apt needs more users than an emulating namespace has.
    commands(&mut root)?;
    root.emulate(format(&root));
    // Tests name the native products, and another file can be shown only in place of an existing one.
    workspace::run(workspace::cargo().args(["build", "--release"]))?;
    let native = workspace::target().join("release");
    show_products(&mut root, &built, &native)?;
    let mut failed = Vec::new();
    for (package, skipped) in reasons::parts(UNEMULATED) {
        for (test, reason) in &skipped {
            println!("SKIPPED on emulated {NAME}: {test}: {reason}");
        }
        let skips = skipped.iter().flat_map(|(test, _)| ["--skip", test]).map(str::to_owned);
        let arguments: Vec<String> = words.iter().cloned().chain(skips).collect();
        let variables = [("ORA_LIB", native.join("libora.so").into_os_string())];
        if let Err(error) = test_programs::run_in(&root, package, &arguments, &variables) {
            failed.push(format!("{error:#}"));
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

/// Shows the products in place of the native ones. The command prefers cargo's own copies of its libraries (`deps`), and creates stand-ins
/// for them (`deps/preload`).
fn show_products(root: &mut Root, built: &Path, native: &Path) -> Result<()> {
    let archive = [(built.join("libora.a"), native.join("libora.a"))];
    for (from, to) in install::binaries(built).into_iter().zip(install::binaries(native)).chain(archive) {
        if let (Some(name), true) = (to.file_name(), to.extension().is_some_and(|extension| extension == "so")) {
            root.show_file(&from, &native.join("deps").join(name));
        }
        root.show_file(&from, &to);
    }
    root.show_at(&built.join("deps/preload"), &native.join("deps/preload"))
}

/// Runs this program in the root with a task that builds packages (`wheel`, `release`, `deb`) for that processor. They are put in the same
/// folders below `target/PROCESSOR`.
pub(crate) fn pack(task: &str) -> Result<()> {
    let packages: Vec<_> = PACKAGES.split(' ').chain(PACKING.split(' ')).collect();
    let mut root = root::make(SUITE, &packages)?;
    let target = workspace::target().join(NAME);
    sources(&mut root, &target)?;
    compilers(&mut root, &target)?;
    root.emulate(format(&root));
    // Python's tools are fetched here, where pip is configured, and are at the same path in the root.
    let tools = release::python_tools()?;
    root.show_at(&tools, &target.join("packaging"))?;
    let git = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
    let git = workspace::read(Command::new("git").current_dir(workspace::root()).args(git))?;
    root.show(Path::new(git.trim()))?;
    let this = env::current_exe().context("can't find this program")?;
    let mut command = root.command_in(&workspace::root(), this);
    command.arg(task).envs(cross()).env("CARGO_TARGET_DIR", &target).env("CARGO_NET_OFFLINE", "true");
    command.env("CARGO_BUILD_TARGET", TARGET).env("PYTHONPATH", modules(&tools)?);
    let anywhere = [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "safe.directory"), ("GIT_CONFIG_VALUE_0", "*")];
    workspace::run(command.envs(anywhere))
}

/// Modules of a Python environment, which another release of Python can use as well.
fn modules(environment: &Path) -> Result<PathBuf> {
    let library = environment.join("lib");
    let folders = fs::read_dir(&library).with_context(|| format!("can't read {}", library.display()))?;
    let mut modules = folders.flatten().map(|folder| folder.path().join("site-packages"));
    modules.find(|folder| folder.is_dir()).context("Python's tools have no modules")
}

/// Cargo's variables for building with the root's compilers, from the crates that are already fetched.
fn cross() -> [(&'static str, OsString); 2] {
    [(LINKER, format!("{NAME}-linux-gnu-gcc").into()), ("CARGO_HOME", workspace::cargo_home().into())]
}

/// Shows the sources, the crates that cargo has fetched here, and a target folder.
fn sources(root: &mut Root, target: &Path) -> Result<()> {
    workspace::run(workspace::cargo().args(["fetch", "--quiet", "--target", TARGET]))?;
    root.show(&workspace::root())?;
    root.show(&workspace::cargo_home())?;
    root.show(target)
}

/// Builds the products in the root, with its Rust, and returns their folder.
fn build(root: &mut Root, place: &Path) -> Result<PathBuf> {
    let target = place.join("target");
    sources(root, &target)?;
    let mut command = root.command_in(&workspace::root(), "cargo");
    command.args(["build", "--release", "--offline", "--target", TARGET]);
    workspace::run(command.env("CARGO_TARGET_DIR", &target).envs(cross()))?;
    Ok(target.join(TARGET).join("release"))
}

/// Shows commands for the processor in place of the root's own.
fn commands(root: &mut Root) -> Result<()> {
    if !root.inside(Path::new(OWN)).is_dir() {
        root.run(&format!(
            "cd /tmp; apt-get -qq update; apt-get -qq download coreutils:{ARCHITECTURE} dash:{ARCHITECTURE}
             for package in coreutils_*.deb dash_*.deb; do dpkg-deb --extract $package {OWN}.new; done
             mv {OWN}.new {OWN}"
        ))?;
    }
    for name in COMMANDS {
        let of = |folder: &str| root.inside(&Path::new(folder).join("usr/bin").join(name));
        ensure!(of(OWN).is_file(), "{} has no {name}", of(OWN).display());
        root.show_file(&of(OWN), &Path::new("/usr/bin").join(name));
    }
    Ok(())
}

/// Shows the cross compilers, and the programs that read and change their output, under the names by which tests and chores call them.
fn compilers(root: &mut Root, place: &Path) -> Result<()> {
    let tools = place.join("bin");
    // Warnings are left to the native tests.
    let compilers = ["gcc", "g++", "gfortran"].map(|name| (name, " -w"));
    let binutils = ["ar", "objcopy", "strip"].map(|name| (name, ""));
    for (name, option) in compilers.into_iter().chain(binutils) {
        let script = tools.join(name);
        let command = format!("#!/bin/sh\nexec /usr/bin/{NAME}-linux-gnu-{name} \"$@\"{option}\n");
        workspace::write(&script, &command)?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))
            .with_context(|| format!("can't make {} executable", script.display()))?;
    }
    root.show_at(&tools, Path::new("/usr/local/bin"))
}
