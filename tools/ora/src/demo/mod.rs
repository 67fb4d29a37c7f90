//! `ora demo`: runs a program with known faults, and explains its table.
#![cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "in a folder that `ora` has made for itself, which no other user may enter"
    )
)]

mod explain;

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use stat_analysis::stat::{Report, Table};
use terminal::printable::Shown;
use terminal::screen::Screen;

use crate::counted_run::measure;
use crate::exit::{Exit, Failure};
use crate::output::{Answer, Output};
use crate::{scratch, signals};

const SOURCE: &str = include_str!("program.c");
const NEEDS_GCC: &str =
    "Install gcc (Debian and Ubuntu: `apt install gcc`; Fedora: `dnf install gcc`), or name another compiler in CC";

/// # Errors
/// If gcc is missing, or the program can't be compiled or run.
pub(crate) fn demo() -> Result<Exit> {
    let scratch =
        scratch::folder().context("cannot create a folder for the demo: set TMPDIR to one that can be written")?;
    let program = scratch.path().join("ora-demo");
    let compiled = compile(&scratch.path().join("ora-demo.c"), &program)?;
    if compiled != Exit::Code(0) || signals::interrupted() {
        return Ok(compiled);
    }
    let run = measure(&[program.into_os_string()], true)?;
    let exit = run.exit;
    let runs = [run];
    let report = Report::of(&runs);
    let table = Table {
        name: "ora-demo",
        why_unseen: None,
        without_events: None,
        wanted_runs: 1,
        rows: usize::MAX,
        followed: true,
    };
    let mut output = Output::Stderr;
    output.write(&Answer::Page(table.render(&report), Screen::default()))?;
    if matches!(exit, Exit::Signal(_)) {
        // The user has interrupted the demo.
        return Ok(exit);
    }
    match report.subject.as_ref().filter(|subject| exit == Exit::Code(0) && subject.process.used_openmp()) {
        Some(subject) => output.write(&Answer::Text(explain::lines(&subject.figures)))?,
        None => bail!("the demo did not run as it should: see the table above, and `ora doctor`"),
    }
    Ok(exit)
}

/// Compiles the demo. Returns the signal that has ended the compiler, or exit code 0.
fn compile(source: &Path, program: &Path) -> Result<Exit> {
    std::fs::write(source, SOURCE).with_context(|| format!("cannot write {}", source.shown()))?;
    // As in `make`, CC may contain options as well.
    let compiler = env::var("CC").ok().filter(|cc| !cc.trim().is_empty()).unwrap_or_else(|| "gcc".to_owned());
    let mut words = compiler.split_whitespace().map(OsString::from);
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).args(["-g", "-O1", "-fopenmp", "-o"]).arg(program).arg(source);
    signals::pass_on(&mut command);
    // Like a watched program: `ora` survives Ctrl-C, and removes the folder once the compiler has ended.
    let status = match signals::run(&mut command) {
        Ok(status) => status,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let message = format!("the demo needs a C compiler, and there is no `{compiler}`. {NEEDS_GCC}");
            return Err(Failure { code: 125, message }.into());
        }
        Err(error) => return Err(error).with_context(|| format!("cannot run `{compiler}`")),
    };
    let exit = Exit::of(status);
    if matches!(exit, Exit::Code(code) if code != 0) && !signals::interrupted() {
        bail!("`{compiler}` cannot compile the demo. {NEEDS_GCC}");
    }
    Ok(exit)
}
