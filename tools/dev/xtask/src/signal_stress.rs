//! Signal stress test: programs whose threads are interrupted all the time. Also runs its program under valgrind.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::workspace;

const PROGRAM: &str = include_str!("../programs/signal_stress.c");

/// Compiles the program and returns its path.
fn built() -> Result<PathBuf> {
    let folder = workspace::target().join("xtask");
    let (source, program) = (folder.join("signal_stress.c"), folder.join("signal_stress"));
    workspace::write(&source, PROGRAM)?;
    workspace::run(
        Command::new("gcc")
            .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-g", "-fopenmp", "-I"])
            .arg(workspace::root().join("headers"))
            .arg("-o")
            .arg(&program)
            .arg(&source)
            .args(["-ldl", "-lrt"]),
    )?;
    Ok(program)
}

/// Interrupts every thread every 50 microseconds; the handler queries the thread's state.
pub(crate) fn collector_queries() -> Result<()> {
    let library = workspace::existing_library(None)?;
    workspace::run(Command::new(built()?).arg("20").env("LD_PRELOAD", library).env("OMP_WAIT_POLICY", "passive"))
}

/// Runs the program without signals under memcheck.
pub(crate) fn valgrind() -> Result<()> {
    let library = workspace::existing_library(None)?;
    workspace::run(
        Command::new("valgrind")
            .args(["--tool=memcheck", "--quiet", "--leak-check=no", "--error-exitcode=9"])
            .arg(built()?)
            .arg("0")
            .env("LD_PRELOAD", library)
            .env("OMP_WAIT_POLICY", "passive"),
    )
}

/// Runs every compat program on every runtime adapter, in about this time altogether. Each thread is interrupted 10,000
/// times a second, and its handler queries all three interfaces. Prints a table; fails if answers contradict each
/// other, or a program behaves differently.
pub(crate) fn all_interfaces(seconds: u64, words: &[String]) -> Result<()> {
    let library = workspace::existing_library(None)?;
    workspace::run(
        workspace::cargo()
            .args(["run", "--quiet", "--release", "--package", "compat-tests", "--bin", "signal_stress", "--"])
            .arg(seconds.to_string())
            .arg(workspace::target().join("tmp"))
            .args(words)
            .env("ORA_LIB", library),
    )
}
