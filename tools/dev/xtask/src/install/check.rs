//! Test of an installation in a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::documents;
use crate::workspace;

const PROGRAM: &str = include_str!("../../programs/installed.c");

/// Installs into a folder, tries the installation there, and uninstalls it.
pub(crate) fn folder() -> Result<()> {
    let prefix = workspace::target().join("installed");
    if prefix.exists() {
        fs::remove_dir_all(&prefix).with_context(|| format!("can't empty {}", prefix.display()))?;
    }
    super::install(&prefix, None)?;
    works(&prefix)?;
    pages(&prefix)?;
    gdb(&prefix)?;
    documents::have_no_dead_link(&prefix.join("share/doc/ora"))?;
    ensure!(prefix.join("share/doc/ora/schemas/stat.json").is_file(), "the JSON Schemas are not installed");
    // A second installation over the first one.
    super::install(&prefix, None)?;
    super::uninstall(&prefix)?;
    ensure!(!prefix.exists(), "`uninstall` leaves files in {}", prefix.display());
    Ok(())
}

/// Builds a program by what `pkg-config` says for an installation, and runs it alone and under the command.
fn works(prefix: &Path) -> Result<()> {
    let flags = workspace::read(
        Command::new("pkg-config")
            .args(["--cflags", "--libs", "ora"])
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")),
    )?;
    let scratch = workspace::target().join("xtask");
    let program = built(&scratch, &flags)?;
    says(&mut Command::new(&program))?;
    let needed = workspace::read(Command::new("objdump").arg("-p").arg(&program))?;
    ensure!(needed.contains(" libora.so.0\n"), "the program asks for a libora.so without a version");
    let said = workspace::read(
        Command::new(prefix.join("bin/ora")).args(["doctor", "--run", "-o", "-", "--"]).arg(&program).arg("watched"),
    )?;
    ensure!(said.contains("its OpenMP was seen\n"), "`ora doctor --run` says: {said}");
    let answer = scratch.join("stat.json");
    counts(
        Command::new(prefix.join("bin/ora"))
            .args(["stat", "--json", "-o"])
            .arg(&answer)
            .arg("--")
            .arg(&program)
            .arg("watched"),
        &answer,
    )
}

/// Formats each man page; a warning of the formatter is an error.
fn pages(prefix: &Path) -> Result<()> {
    let man = prefix.join("share/man");
    let pages = super::files(&man)?;
    ensure!(pages.iter().any(|page| page == "man7/libora.7"), "libora(7) is not installed: {pages:?}");
    if !requirements::GROFF.is_here("the man pages' warnings") {
        return Ok(());
    }
    for page in pages {
        let formatted = Command::new("groff").args(["-man", "-Tutf8", "-ww", "-z"]).arg(man.join(&page)).output()?;
        let said = String::from_utf8_lossy(&formatted.stderr);
        ensure!(formatted.status.success() && said.is_empty(), "groff says of {page}: {said}");
    }
    Ok(())
}

/// Reads gdb's commands into it.
fn gdb(prefix: &Path) -> Result<()> {
    if !requirements::GDB.is_here(super::GDB) {
        return Ok(());
    }
    let source = format!("source {}", prefix.join(super::GDB).display());
    let said =
        workspace::read(Command::new("gdb").args(["-q", "-batch", "-nx", "-ex", &source, "-ex", "help omp waits"]))?;
    ensure!(said.starts_with("Waits and their places"), "gdb says of {}: {said}", super::GDB);
    Ok(())
}

/// Builds the program, linked with `flags`.
fn built(folder: &Path, flags: &str) -> Result<PathBuf> {
    let (source, program) = (folder.join("installed.c"), folder.join("installed"));
    workspace::write(&source, PROGRAM)?;
    workspace::run(
        Command::new("gcc")
            .args(["-Wall", "-Wextra", "-Werror", "-O2", "-fopenmp", "-o"])
            .arg(&program)
            .arg(&source)
            .args(flags.split_whitespace()),
    )?;
    Ok(program)
}

/// Checks that the program's own collector gets an event for each of its regions.
fn says(program: &mut Command) -> Result<()> {
    let text = workspace::read(program)?;
    ensure!(text == "7 regions, 14 threads in them\n", "the program says `{}`", text.trim_end());
    Ok(())
}

/// `ora stat`, which leaves its answer in a file, counts the program's regions.
fn counts(stat: &mut Command, answer: &Path) -> Result<()> {
    workspace::read(stat)?;
    let text = fs::read_to_string(answer).context("`ora stat` has left no answer")?;
    let figures: String = text.split_whitespace().collect();
    ensure!(figures.contains("\"regions_total\":{\"count\":7"), "`ora stat` has not counted 7 regions: {text}");
    Ok(())
}
