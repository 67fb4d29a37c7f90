//! `ora doctor`: would a program's OpenMP be seen, and if not, why, and what to do.

mod bindings;
mod callbacks;
mod events;
mod findings;
mod installation;
mod loaded_runtime;
mod observed_run;
mod order;
mod privilege;
mod process;
mod program;
mod runtime;
mod script;
mod setting;
mod text;
mod tools;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::args::Doctor;
use crate::exit::{Exit, Failure};
use crate::image::Kind;
use crate::output::{Answer, Output};
use findings::{Findings, Subject, Verdict};
use setting::Setting;
use terminal::printable::Shown;

/// Something would not be seen.
const NOT_ALL: u8 = 1;
/// There is nothing to examine.
const NOTHING: u8 = 2;

/// # Errors
/// If there is nothing to examine, or the answer can't be written.
pub(crate) fn doctor(args: &Doctor) -> Result<Exit> {
    let findings = match args.program.split_first() {
        None => installation::examine(),
        Some((word, [])) if !args.run && number(word).is_some() => process::examine(number(word).unwrap_or_default())?,
        Some((word, _)) => program(word, args)?,
    }
    .conclude();
    let answer = if args.json {
        Answer::Json(serde_json::to_string_pretty(&findings)? + "\n")
    } else {
        Answer::Text(text::render(&findings))
    };
    // The program's stdout stays its own.
    let stream = if args.run { Output::Stderr } else { Output::Stdout };
    Output::file_or(args.output.as_deref(), stream)?.write(&answer)?;
    Ok(Exit::Code(if findings.verdict == Verdict::Seen { 0 } else { NOT_ALL }))
}

/// Reason for which nothing of a program can be seen, and the remedy. `None` unless that is certain without running the
/// program.
pub(crate) fn why_unseen(word: &OsStr) -> Option<(String, String)> {
    let path = find(word).ok()?;
    let mut findings = Findings::new(Subject::Program, String::new());
    let setting = Setting::look(&[], &mut findings);
    let executable = script::interpreter(&path, &mut findings).ok()?;
    program::examine(&executable, &setting, &mut findings).ok()?;
    let hides = |reason: &&findings::Reason| reason.effect == findings::Effect::HidesAll && reason.id != "no_openmp";
    findings.reasons.iter().find(hides).map(|reason| (reason.what.clone(), reason.what_to_do.clone()))
}

/// Process number in a word of the command line.
fn number(word: &OsStr) -> Option<u32> {
    word.to_str()?.parse().ok()
}

fn program(word: &OsString, args: &Doctor) -> Result<Findings> {
    let path = find(word)?;
    let mut findings = Findings::new(Subject::Program, word.to_string_lossy().into_owned());
    let setting = Setting::look(&args.tool, &mut findings);
    let read = |error: anyhow::Error| Failure { code: NOTHING, message: format!("cannot examine: {error:#}") };
    let executable = script::interpreter(&path, &mut findings).map_err(read)?;
    program::examine(&executable, &setting, &mut findings).map_err(read)?;
    if findings.subject == Subject::Script {
        // Its interpreter need not use OpenMP itself.
        findings.reasons.retain(|reason| !matches!(reason.id, "no_openmp" | "loaded_later"));
    }
    if args.run {
        observed_run::run(&args.program, &setting, &mut findings)?;
        findings.subject = Subject::Run;
    }
    Ok(findings)
}

/// The file that the first word means: a path, or a name that PATH knows.
fn find(word: &OsStr) -> Result<PathBuf> {
    let found = crate::program::file(Path::new(word));
    let failure = |error: io::Error| {
        let failure = crate::program::cannot_start(word, &error);
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
