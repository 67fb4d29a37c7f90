//! Watched programs under storms of signals, and under valgrind.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::workspace;

const PROGRAM: &str = include_str!("../programs/storm.c");

/// Compiles the program and returns where it is.
fn built() -> Result<PathBuf> {
    let folder = workspace::target().join("xtask");
    let (source, program) = (folder.join("storm.c"), folder.join("storm"));
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

/// Every thread is interrupted every 50 microseconds, and asks what it is doing.
pub(crate) fn signals() -> Result<()> {
    let library = workspace::existing_library(None)?;
    workspace::run(Command::new(built()?).arg("20").env("LD_PRELOAD", library).env("OMP_WAIT_POLICY", "passive"))
}

/// The same program without signals, under memcheck.
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

/// Every compat program on every host, for about that long in sum: each thread is interrupted 10,000 times a second, and its
/// handler asks all three interfaces. Prints a table; fails where answers contradict each other, or a program notices.
pub(crate) fn hosts(seconds: u64, words: &[String]) -> Result<()> {
    let library = workspace::existing_library(None)?;
    workspace::run(
        workspace::cargo()
            .args(["run", "--quiet", "--release", "--package", "compat-tests", "--bin", "storm", "--"])
            .arg(seconds.to_string())
            .arg(workspace::target().join("tmp"))
            .args(words)
            .env("ORA_LIB", library),
    )
}
