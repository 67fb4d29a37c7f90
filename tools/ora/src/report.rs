//! `ora report`: shows what `ora profile` has collected. Of a trace [`trace_report`] shows it.

use std::collections::BTreeSet;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use ::symbols::{Files, INSTRUMENTED_FILE, Instrumented, Names, ProcessNames};
use anyhow::{Context, Result, bail};
use profile_analysis::input::{InputError, Object, Process, ahead, folders};
use profile_analysis::out::{Clock, Stacks, firefox, flame, folded, parquet};
use profile_analysis::profile::{Profile, build};
use profile_analysis::{json, text, user_model};
use profile_format::FILE;
use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use crate::args::{Report, View};
use crate::exit::{Exit, Failure, OWN_FAILURE};
use crate::output::{Answer, Output, say};
use crate::output_file::OutputFile;
use crate::trace_report;
use terminal::printable::Shown;
use terminal::progress::Progress;

/// Bytes of records that it takes a while to read.
const LARGE: u64 = 8_000_000;
/// There is nothing to report.
pub(crate) const NO_PROFILE: u8 = 2;

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
        return trace_report::report(args, &folders);
    }
    if [&args.otf2, &args.paraver].iter().any(|path| path.is_some()) {
        bail!("--otf2 and --paraver show when things happened: they take a trace by `ora trace`, not a profile");
    }
    let profile = read(args.view, folders).map_err(unread)?;
    let stacks = Stacks::of(&profile);
    let mut is_done = for_others(args, &stacks)?;
    if let Some(path) = &args.firefox {
        let mut to = file(path)?;
        firefox::write(&mut to, &stacks.recording(), stacks.weighted()).with_context(|| unwritten(path))?;
        to.flush().with_context(|| unwritten(path))?;
        is_done = true;
    }
    if args.html.is_some() || args.perfetto.is_some() {
        trace_report::sampled_only(args, &profile, &stacks)?;
        is_done = true;
    }
    if is_done && args.output.is_none() && !args.json && args.parquet.is_none() {
        return Ok(Exit::Code(0));
    }
    let report = profile_analysis::Report::of(&profile);
    if tables(args, &report)? && args.output.is_none() && !args.json {
        return Ok(Exit::Code(0));
    }
    if args.summary.is_some() {
        Output::Stdout.write(&Answer::Text(text::summary(&report)))?;
        return Ok(Exit::Code(0));
    }
    let answer = if args.json {
        Answer::Json(json::document(&report)?)
    } else {
        Answer::Page(text::page(&report, args.max), args.screen)
    };
    let mut output = Output::file_or(args.output.as_deref(), Output::Stdout)?;
    if args.no_pager {
        output.write(&answer)?
    } else {
        output.write_paged(&answer)?
    }
    Ok(Exit::Code(0))
}

/// Has the system end this process with its parent. False if that was gone before: nobody reads the answer.
fn ends_with(parent: i32) -> bool {
    // Where the system refuses it, the parent kills this process after its time.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    getppid().is_some_and(|now| now.as_raw_nonzero().get() == parent)
}

/// The document of `ora report --json` for the processes of a profile.
///
/// # Errors
/// If they can't be read.
pub(crate) fn document(folders: Vec<PathBuf>) -> Result<String> {
    Ok(json::document(&profile_analysis::Report::of(&read(View::User, folders)?))?)
}

/// Writes tables of the samples. Whether they were asked for.
pub(crate) fn tables(args: &Report, report: &profile_analysis::Report<'_>) -> Result<bool> {
    let Some(folder) = &args.parquet else { return Ok(false) };
    parquet::write(folder, report).with_context(|| unwritten(folder))?;
    Ok(true)
}

/// Writes what other programs show of stacks alone. Whether anything of it was asked for.
pub(crate) fn for_others(args: &Report, stacks: &Stacks<'_>) -> Result<bool> {
    if let Some(path) = &args.flame {
        let below = "wall-clock time of all threads; what OpenMP waits for is blue".to_owned();
        let title = flame::Title { program: stacks.recording().program, below };
        let mut to = file(path)?;
        flame::write(&mut to, &title, stacks.weighted(), Clock::Wall).with_context(|| unwritten(path))?;
        to.flush().with_context(|| unwritten(path))?;
    }
    if let Some(path) = &args.folded {
        let mut to = file(path)?;
        folded::write(&mut to, stacks.weighted(), Clock::Wall).with_context(|| unwritten(path))?;
        to.flush().with_context(|| unwritten(path))?;
    }
    Ok(args.flame.is_some() || args.folded.is_some())
}

pub(crate) fn file(path: &Path) -> Result<BufWriter<OutputFile>> {
    Ok(BufWriter::new(OutputFile::open(path).with_context(|| unwritten(path))?))
}

pub(crate) fn unwritten(path: &Path) -> String {
    format!("cannot write to {}", path.shown())
}

/// The profile or trace in the current folder that was written last.
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

/// Folders of the processes to report.
fn chosen(args: &Report) -> Result<Vec<PathBuf>, InputError> {
    if args.folders.is_empty() { folders(&[newest()?]) } else { folders(&args.folders) }
}

/// Reads the samples of some processes.
///
/// # Errors
/// If they can't be read.
pub(crate) fn read(view: View, folders: Vec<PathBuf>) -> Result<Profile, InputError> {
    let view = match view {
        View::User => user_model::View::User,
        View::Expert => user_model::View::Expert,
        View::Machine => user_model::View::Machine,
    };
    // A process's folder lies in the profile's.
    let written: BTreeSet<PathBuf> = folders
        .iter()
        .filter_map(|folder| Some(folder.canonicalize().ok()?.parent()?.join(INSTRUMENTED_FILE)))
        .collect();
    let files = Files::default().with_instrumented(Instrumented::read(written.iter().map(PathBuf::as_path)));
    let mut names = |process: &Process| -> Box<dyn Names> {
        Box::new(ProcessNames::new(&files, process.objects.iter().map(Object::record)).with_made(&process.made))
    };
    let bytes = |folder: &PathBuf| folder.join(FILE).metadata().map_or(0, |file| file.len());
    let large = folders.iter().map(bytes).sum::<u64>() > LARGE;
    let mut progress = Progress::alone();
    ahead(&folders, |processes| {
        let told = (1..).zip(&folders).zip(processes).map(|((number, folder), process)| {
            if large {
                let size = bytes(folder) / 1_000_000;
                progress.show(&format!("reading process {number} of {} ({size} MB)", folders.len()));
            }
            process
        });
        build(told, view, &mut names)
    })
}
