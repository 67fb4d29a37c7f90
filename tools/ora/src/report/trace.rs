//! `ora report` on a trace.

use std::path::{Path, PathBuf};

use ::symbols::Files;
use anyhow::{Context, Result, bail};
use profile_analysis::input::Libraries;
use profile_analysis::out::Stacks;
use terminal::progress::Progress;
use trace_analysis::{Samples, Timeline, firefox, html, is_trace, json, open, otf2, paraver, perfetto, text};

use super::outputs::{self, Writer, for_others, unwritten};
use super::samples::{self, NO_PROFILE};
use crate::args::Report;
use crate::exit::{Exit, Failure};
use crate::output::{Answer, Output};
use crate::page_file::PageFile;

/// Size in bytes of events above which reading takes a while.
const LARGE: u64 = 3_000_000;

/// # Errors
/// If a trace can't be read, FILE can't be written, or an option requires samples and there are none.
pub(crate) fn report(args: &Report, folders: &[PathBuf]) -> Result<Exit> {
    let mut timelines = read(folders, &Files::default())?;
    let is_sampled = Timeline::are_sampled(&timelines, folders.len());
    let wants_samples = [(&args.flame, "--flame"), (&args.folded, "--folded"), (&args.parquet, "--parquet")];
    if let Some((_, option)) = wants_samples.iter().find(|(path, _)| path.is_some() && !is_sampled) {
        bail!(
            "{option} shows samples, which a trace doesn't have without --sample: use `ora profile` or `ora trace --sample 100`"
        );
    }
    let profile = if is_sampled { Some(samples::read(args.view, folders.to_vec())?) } else { None };
    let stacks = profile.as_ref().map(Stacks::of);
    let sampled = profile.as_ref().zip(stacks.as_ref()).map(|(profile, stacks)| Samples::of(profile, stacks));
    let with_events = timelines.len();
    if let Some(sampled) = &sampled {
        sampled.complete(&mut timelines);
    }
    let chosen: [(_, Writer); 2] = [(&args.perfetto, perfetto::write), (&args.firefox, firefox::write)];
    let mut is_done = for_others(&chosen, &timelines, sampled.as_ref())?;
    if let Some(path) = &args.html {
        PageFile::open(path)?.write(|sources| html::document(&timelines, sampled.as_ref(), sources))?;
        is_done = true;
    }
    is_done |= events_for_others(args, timelines.get(..with_events).unwrap_or_default())?;
    if let Some(stacks) = &stacks {
        is_done |= outputs::stacks(args, stacks)?;
    }
    let report = profile.as_ref().map(profile_analysis::Report::of);
    if let Some(report) = &report {
        is_done |= outputs::tables(args, report)?;
    }
    if is_done && args.output.is_none() && !args.json {
        return Ok(Exit::Code(0));
    }
    let timelines = timelines.get(..with_events).unwrap_or_default();
    let mut output = Output::file_or(args.output.as_deref(), Output::Stdout)?;
    let answer = if args.json {
        Answer::Json(json::document(timelines, report.as_ref(), args.rows)?)
    } else {
        let mut page = text::all(timelines, args.rows);
        if let Some(report) = &report {
            page.blank();
            page.append(profile_analysis::text::page(report, args.rows));
        }
        Answer::Page(page, args.screen)
    };
    output.show(&answer, args.no_pager)?;
    Ok(Exit::Code(0))
}

/// Reads the traces among these folders of processes. `files` have the names of code, also for other recordings of the same program.
///
/// # Errors
/// If one of them can't be read.
pub(crate) fn read(folders: &[PathBuf], files: &Files) -> Result<Vec<Timeline>> {
    let mut libraries = Libraries::default();
    let bytes = |folder: &Path| folder.join(trace_format::FILE).metadata().map_or(0, |file| file.len());
    let large = folders.iter().map(|folder| bytes(folder)).sum::<u64>() > LARGE;
    let mut progress = Progress::alone();
    let traces = folders.iter().filter(|folder| is_trace(folder));
    let timelines = (1..).zip(traces).map(|(number, folder)| {
        if large {
            let size = bytes(folder) / 1_000_000;
            progress.show(&format!("reading process {number} of {} ({size} MB)", folders.len()));
        }
        open(folder, files, &mut libraries)
            .map_err(|error| Failure { code: NO_PROFILE, message: error.to_string() }.into())
    });
    let mut timelines: Vec<Timeline> = timelines.collect::<Result<_>>()?;
    trace_analysis::note_together(&mut timelines);
    Ok(timelines)
}

/// Writes the formats that contain events only. Returns whether any of them was requested.
fn events_for_others(args: &Report, timelines: &[Timeline]) -> Result<bool> {
    if let Some(folder) = &args.otf2 {
        otf2::write(folder, timelines).with_context(|| unwritten(folder))?;
    }
    if let Some(path) = &args.paraver {
        paraver::write(path, timelines).with_context(|| unwritten(path))?;
    }
    Ok(args.otf2.is_some() || args.paraver.is_some())
}
