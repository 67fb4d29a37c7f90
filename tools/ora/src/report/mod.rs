//! `ora report`: shows the recordings of `ora profile` and `ora trace`.

mod outputs;
mod samples;
mod trace;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use profile_analysis::input::{InputError, folders};
use profile_analysis::out::{Stacks, firefox};
use profile_analysis::{html, json, text};
use profile_format::FILE;
use rustix::process::{Signal, getppid, set_parent_process_death_signal};
use terminal::printable::Shown;

use self::outputs::{file, unwritten};
use self::samples::NO_PROFILE;
pub(crate) use self::samples::{document, read as samples};
pub(crate) use self::trace::read as timelines;
use crate::args::Report;
use crate::exit::{Exit, Failure, OWN_FAILURE};
use crate::output::{Answer, Output, say};
use crate::page_file::PageFile;

/// # Errors
/// If there is no profile, or FILE can't be written.
pub(crate) fn report(args: &Report) -> Result<Exit> {
    if let Some(parent) = args.summary
        && !ends_with(parent)
    {
        return Ok(Exit::Code(OWN_FAILURE));
    }
    let unread = |error: InputError| Failure { code: NO_PROFILE, message: error.to_string() };
    let folders = chosen(args).map_err(unread)?;
    if folders.iter().any(|folder| trace_analysis::is_trace(folder)) {
        return trace::report(args, &folders);
    }
    if [&args.otf2, &args.paraver].iter().any(|path| path.is_some()) {
        bail!("--otf2 and --paraver show when things happened: they take a trace by `ora trace`, not a profile");
    }
    let profile = samples::read(args.view, folders).map_err(unread)?;
    let stacks = Stacks::of(&profile);
    let mut is_done = outputs::stacks(args, &stacks)?;
    if let Some(path) = &args.firefox {
        let mut to = file(path)?;
        firefox::write(&mut to, &stacks.recording(), stacks.weighted()).with_context(|| unwritten(path))?;
        to.flush().with_context(|| unwritten(path))?;
        is_done = true;
    }
    if args.perfetto.is_some() {
        is_done |= outputs::sampled_only(args, &profile, &stacks)?;
    }
    if let Some(path) = &args.html {
        let report = profile_analysis::Report::of(&profile);
        PageFile::open(path)?.write(|sources| html::document(&report, sources))?;
        is_done = true;
    }
    if is_done && args.output.is_none() && !args.json && args.parquet.is_none() {
        return Ok(Exit::Code(0));
    }
    let report = profile_analysis::Report::of(&profile);
    if outputs::tables(args, &report)? && args.output.is_none() && !args.json {
        return Ok(Exit::Code(0));
    }
    if args.summary.is_some() {
        Output::Stdout.write(&Answer::Text(text::summary(&report)))?;
        return Ok(Exit::Code(0));
    }
    let answer = if args.json {
        Answer::Json(json::document(&report)?)
    } else {
        Answer::Page(text::page(&report, args.rows), args.screen)
    };
    let mut output = Output::file_or(args.output.as_deref(), Output::Stdout)?;
    output.show(&answer, args.no_pager)?;
    Ok(Exit::Code(0))
}

/// Makes the system end this process together with its parent. Returns false if the parent has already ended: then nobody reads the answer.
fn ends_with(parent: i32) -> bool {
    // If the system refuses it, the parent kills this process after its time limit.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    getppid().is_some_and(|now| now.as_raw_nonzero().get() == parent)
}

/// The most recently written profile or trace in the current folder.
fn newest() -> Result<PathBuf, InputError> {
    let written = |path: &Path| {
        let processes = folders(&[path.to_owned()]).ok()?;
        processes.iter().filter_map(|process| process.join(FILE).metadata().ok()?.modified().ok()).max()
    };
    let here = Path::new(".");
    let entries = here.read_dir().map_err(|error| InputError::Unreadable(here.to_owned(), error))?;
    let paths = entries.flatten().map(|entry| PathBuf::from(entry.file_name())).filter(|path| path.is_dir());
    let newest = paths.filter_map(|path| Some((written(&path)?, path))).max();
    let (_, path) = newest.ok_or_else(|| InputError::Nothing(here.to_owned()))?;
    let is_trace = folders(std::slice::from_ref(&path))?.iter().any(|folder| trace_analysis::is_trace(folder));
    let noun = if is_trace { "trace" } else { "profile" };
    say(format_args!("the newest {noun} here is in {}", path.shown()));
    Ok(path)
}

/// Folders of the processes to report on.
fn chosen(args: &Report) -> Result<Vec<PathBuf>, InputError> {
    if args.folders.is_empty() { folders(&[newest()?]) } else { folders(&args.folders) }
}
