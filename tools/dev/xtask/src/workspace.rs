//! Paths of the workspace, and commands in it.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

/// Root of the checkout that this program was built from, or of the one in which `cargo xtask` was called.
pub(crate) fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| OsString::from(env!("CARGO_MANIFEST_DIR")));
    let manifest = PathBuf::from(manifest);
    manifest.ancestors().nth(3).unwrap_or(&manifest).to_path_buf()
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        // Cargo resolves a relative path from its working directory, as `join` does here.
        Some(dir) if !dir.is_empty() => env::current_dir().unwrap_or_default().join(dir),
        _ => root().join("target"),
    }
}

/// Compiler target: this system's, or the one that cargo's own variable names.
pub(crate) fn processor_target() -> String {
    env::var("CARGO_BUILD_TARGET").unwrap_or_else(|_| format!("{}-unknown-linux-gnu", env::consts::ARCH))
}

/// Processor of the target.
pub(crate) fn processor() -> String {
    processor_target().split('-').next().unwrap_or_default().to_owned()
}

/// Folder in which cargo keeps the crates that it has fetched ("Cargo book", "Cargo Home").
pub(crate) fn cargo_home() -> PathBuf {
    let home = || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".cargo");
    env::var_os("CARGO_HOME").filter(|folder| !folder.is_empty()).map_or_else(home, PathBuf::from)
}

/// Path of `libora.so` in the release build.
pub(crate) fn library() -> Result<PathBuf> {
    product("libora.so")
}

/// Path of a file of the release build; if it doesn't exist, an error with the next step.
pub(crate) fn product(name: &str) -> Result<PathBuf> {
    let path = target().join("release").join(name);
    path.canonicalize().with_context(|| format!("{} does not exist. Next: cargo build --release", path.display()))
}

/// `path` relative to the root, for messages.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Cargo command in the root folder: the cargo that runs this program, or else the one in `PATH`.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root());
    command
}

/// Command that runs a script of the compat tests.
pub(crate) fn compat_script(name: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg(root().join("compat-tests").join(name));
    command
}

/// Runs a command to its end with our own stdout and stderr.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = spelled(command);
    let status = command.status().with_context(|| format!("can't start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed: {status}");
    }
    Ok(())
}

/// Runs a command to its end and returns what it wrote to stdout.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let line = spelled(command);
    let Output { status, stdout, stderr } = command.output().with_context(|| format!("can't start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed: {status}\n{}", String::from_utf8_lossy(&stderr).trim_end());
    }
    String::from_utf8(stdout).with_context(|| format!("`{line}` wrote what is no UTF-8"))
}

/// Creates an empty folder, replacing one with files.
pub(crate) fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("can't empty {}", folder.display()))?;
    }
    std::fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))
}

/// Time of the release, in seconds since 1970: `SOURCE_DATE_EPOCH`, or the time of the last commit.
pub(crate) fn epoch() -> Result<String> {
    match env::var("SOURCE_DATE_EPOCH") {
        Ok(seconds) => Ok(seconds),
        Err(_) => {
            let log = read(Command::new("git").current_dir(root()).args(["log", "-1", "--format=%ct"]))?;
            Ok(log.trim().to_owned())
        }
    }
}

/// Writes `text`, creating the folder first.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("can't write {}", path.display()))
}

/// Command line as a user would type it.
fn spelled(command: &Command) -> String {
    let mut line =
        Path::new(command.get_program()).file_name().unwrap_or(command.get_program()).to_string_lossy().into_owned();
    for word in command.get_args() {
        line.push(' ');
        line.push_str(&word.to_string_lossy());
    }
    line
}
