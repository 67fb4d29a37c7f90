//! `ora doctor`: reports whether a program's OpenMP would be seen and, if not, why, and what to do. Starts programs for the crate `doctor`,
//! which examines them.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use ::doctor::{Ended, Examined, Findings, Installed, Refusal};
use anyhow::{Context, Result};
use attach_outside::target::Allowed;
use linking::image::Kind;
use stat_analysis::stat::snapshot::Process;
use terminal::printable::Shown;

use crate::args::Doctor;
use crate::counted_run::measure_with;
use crate::exit::{Exit, Failure};
use crate::live::Attempt;
use crate::output::{Answer, Output};
use crate::{libraries, program, scratch};

/// Something would not be seen.
const NOT_ALL: u8 = 1;
/// There is nothing to examine.
const NOTHING: u8 = 2;

/// # Errors
/// If there is nothing to examine, or the answer can't be written.
pub(crate) fn doctor(args: &Doctor) -> Result<Exit> {
    let findings = match args.program.split_first() {
        None => ::doctor::installation(&installed()),
        Some((word, [])) if !args.run && number(word).is_some() => {
            let pid = number(word).unwrap_or_default();
            let attempt = || Attempt::begin(pid).examine(Allowed::default()).map(drop);
            ::doctor::process(pid, &attempt).map_err(refused)?
        }
        Some((word, _)) => examine(word, args)?,
    }
    .conclude();
    let answer = if args.json { Answer::Json(findings.json()?) } else { Answer::Text(::doctor::text(&findings)) };
    // The program keeps its stdout.
    let stream = if args.run { Output::Stderr } else { Output::Stdout };
    Output::file_or(args.output.as_deref(), stream)?.write(&answer)?;
    Ok(Exit::Code(if findings.is_all_seen() { 0 } else { NOT_ALL }))
}

/// Reason why nothing of a program can be seen, and the remedy. `None` unless that is certain without running the program.
pub(crate) fn why_unseen(word: &OsStr) -> Option<(String, String)> {
    ::doctor::why_unseen(&find(word).ok()?, &installed())
}

fn installed() -> Installed {
    let find = |name| libraries::find(name).map_err(|error| format!("{error:#}"));
    Installed { library: find(libraries::LIBRARY), collectors: find(libraries::COLLECTORS) }
}

/// Process id in a word of the command line.
fn number(word: &OsStr) -> Option<u32> {
    word.to_str()?.parse().ok()
}

fn examine(word: &OsStr, args: &Doctor) -> Result<Findings> {
    let path = find(word)?;
    let name = word.to_string_lossy().into_owned();
    let mut examined =
        Examined::program(&path, name, &args.tool, &installed()).map_err(|refusal| refused(refusal.into()))?;
    if args.run {
        let folder = || scratch::folder().context("cannot create a folder for the dynamic linker's log: set TMPDIR");
        examined.run(folder, |libraries, variables| run(&args.program, libraries, variables))?;
    }
    Ok(examined.into_findings())
}

/// Runs the program under the library and the collector of `ora stat`.
fn run(words: &[OsString], libraries: &[PathBuf], mut variables: Vec<(&'static str, OsString)>) -> Result<Ended> {
    variables.extend(program::preloading(words.first().map(OsString::as_os_str).unwrap_or_default(), libraries)?);
    let run = measure_with(words, true, &variables).map_err(not_started)?;
    let main = run.main.as_ref();
    let forks = |process: &Process| process.sum(|thread| thread.forks);
    Ok(Ended {
        exit_code: if let Exit::Code(code) = run.exit { Some(code) } else { None },
        signal: if let Exit::Signal(signal) = run.exit { Some(signal) } else { None },
        exit: run.exit.to_string(),
        collector_started: main.is_some(),
        session_error_code: main.and_then(|process| process.who.session),
        regions: main.map_or(0, forks) + run.others.iter().map(forks).sum::<u64>(),
        processes_with_openmp: run.others.len() + usize::from(main.is_some_and(Process::used_openmp)),
    })
}

fn not_started(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Failure>() {
        Ok(failure) => Failure { code: NOTHING, ..failure }.into(),
        Err(error) => error,
    }
}

/// Converts a refusal to a failure.
fn refused(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Refusal>() {
        Ok(Refusal(message)) => Failure { code: NOTHING, message }.into(),
        Err(error) => error,
    }
}

/// File that the first word refers to: a path, or a name in PATH.
fn find(word: &OsStr) -> Result<PathBuf> {
    let found = program::file(Path::new(word));
    let failure = |error: io::Error| {
        let failure = program::cannot_start(word, &error);
        Failure { code: NOTHING, message: failure.message.replacen("cannot run", "cannot examine", 1) }
    };
    let found = found.ok_or_else(|| failure(io::ErrorKind::NotFound.into()))?;
    if found.is_dir() {
        return Err(failure(io::ErrorKind::PermissionDenied.into()).into());
    }
    match Kind::of(&found) {
        Ok(Kind::Other) => {
            let message = format!(
                "cannot examine {}: neither an ELF program nor a script. Name one, or a process's number",
                found.shown()
            );
            Err(Failure { code: NOTHING, message }.into())
        }
        Ok(_) => Ok(found),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let message =
                format!("cannot examine {}: you may not read it. Ask its owner, or become that user", found.shown());
            Err(Failure { code: NOTHING, message }.into())
        }
        Err(error) => Err(failure(error).into()),
    }
}
