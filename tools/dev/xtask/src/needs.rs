//! Installation of the gate's requirements other than Rust.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use anyhow::{Result, bail};
use requirements::{ALL, Requirement};

use crate::workspace;

/// Installs what is missing or incomplete if permitted; otherwise prints the command to install it. Returns warnings about optional
/// requirements.
pub(crate) fn install(long: bool) -> Result<Vec<String>> {
    components()?;
    let mut failed = failed(ALL.iter().filter(|it| long || !it.is_for_long()).copied());
    if failed.is_empty() {
        println!("nothing is missing");
        return Ok(Vec::new());
    }
    let mut packages: Vec<String> = failed.iter().flat_map(|(it, _)| it.packages()).collect();
    packages.sort_unstable();
    packages.dedup();
    let command = format!("apt-get install -y --no-install-recommends {}", packages.join(" "));
    let next = if is_root() && in_path("apt-get") {
        println!("installing {}", packages.join(", "));
        // The existing lists of packages may suffice.
        if let Err(error) = apt(&["update"]) {
            println!("WARNING: {error:#}: going on with the lists of packages that are here");
        }
        let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
        apt(&[&["install", "-y", "--no-install-recommends"], packages.as_slice()].concat())?;
        let path = env::var_os("PATH").unwrap_or_default();
        failed = failed.into_iter().filter_map(|(it, _)| Some((it, it.tried(&path)?))).collect();
        format!("`{command}` was not enough; look at the programs that are called")
    } else if in_path("apt-get") {
        format!("sudo apt-get update && sudo {command}")
    } else {
        format!("install with this system's package manager what Debian calls: {}", packages.join(" "))
    };
    let line = |(it, obstacle): &(&Requirement, String)| format!("{}: {obstacle}", it.name());
    let must = |(it, _): &&(&Requirement, String)| it.without().is_none() || requirements::is_ci();
    let vital: Vec<String> = failed.iter().filter(must).map(line).collect();
    if !vital.is_empty() {
        bail!("missing or incomplete: {}. Next: {next}", vital.join("; "));
    }
    let warning = |it: &(&Requirement, String)| {
        format!("{}: {}. To have it: {next}", it.0.without().unwrap_or_default(), line(it))
    };
    let warnings: Vec<String> = failed.iter().map(warning).collect();
    for warning in &warnings {
        println!("WARNING: {warning}");
    }
    Ok(warnings)
}

/// Requirements that don't work, each with its fault. Several are tried in parallel, since a trial mostly waits for programs.
fn failed(requirements: impl Iterator<Item = &'static Requirement> + Send) -> Vec<(&'static Requirement, String)> {
    let waiting = Mutex::new(requirements);
    let next = || waiting.lock().ok()?.next();
    let found = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(it) = next() {
                    let Some(obstacle) = it.obstacle() else { continue };
                    let _ = found.lock().map(|mut found| found.push((it, obstacle.to_owned())));
                }
            });
        }
    });
    found.into_inner().unwrap_or_default()
}

/// Packages that the tests need without `--long`, with this release of LLVM.
pub(crate) fn packages(llvm: u32) -> impl Iterator<Item = String> {
    let packages = ALL.iter().filter(|it| !it.is_for_long()).flat_map(|it| it.packages());
    packages.map(move |package| package.replace(requirements::llvm(), &llvm.to_string()))
}

/// Installs the components of the Rust tool chain that the gate needs. Without rustup, cargo itself reports what is missing.
fn components() -> Result<()> {
    if !in_path("rustup") {
        return Ok(());
    }
    let add = ["component", "add", "rustfmt", "clippy"];
    workspace::run(Command::new("rustup").current_dir(workspace::root()).args(add).stderr(Stdio::null()))
}

fn apt(arguments: &[&str]) -> Result<()> {
    workspace::run(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
}

/// True if a folder in `PATH` contains the program.
pub(crate) fn in_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// True if this process may install packages.
pub(crate) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    Path::new("/proc/self").metadata().is_ok_and(|process| process.uid() == 0)
}
