//! Files of a report, for other programs.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use profile_analysis::out::{Clock, Stacks, flame, folded, parquet};
use profile_analysis::profile::Profile;
use terminal::printable::Shown;
use trace_analysis::{Samples, Timeline, perfetto};

use crate::args::Report;
use crate::output_file::OutputFile;

/// Writes tables of the samples. Returns whether they were requested.
pub(super) fn tables(args: &Report, report: &profile_analysis::Report<'_>) -> Result<bool> {
    let Some(folder) = &args.parquet else { return Ok(false) };
    parquet::write(folder, report).with_context(|| unwritten(folder))?;
    Ok(true)
}

/// Writes the formats that contain stacks only. Returns whether any of them was requested.
pub(super) fn stacks(args: &Report, stacks: &Stacks<'_>) -> Result<bool> {
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

pub(super) fn file(path: &Path) -> Result<BufWriter<OutputFile>> {
    Ok(BufWriter::new(OutputFile::open(path).with_context(|| unwritten(path))?))
}

pub(super) fn unwritten(path: &Path) -> String {
    format!("cannot write to {}", path.shown())
}

/// Writes a file for Perfetto of a recording without events. Returns whether it was requested.
///
/// # Errors
/// If FILE can't be written.
pub(super) fn sampled_only(args: &Report, profile: &Profile, stacks: &Stacks<'_>) -> Result<bool> {
    let samples = Samples::of(profile, stacks);
    let mut timelines = Vec::new();
    samples.complete(&mut timelines);
    for_others(&[(&args.perfetto, perfetto::write)], &timelines, Some(&samples))
}

/// Function that writes events and samples in a format.
pub(super) type Writer = fn(&mut dyn Write, &[Timeline], Option<&Samples<'_>>) -> std::io::Result<()>;

/// Writes the formats that contain events and samples. Returns whether any of them was requested.
pub(super) fn for_others(
    chosen: &[(&Option<PathBuf>, Writer)],
    timelines: &[Timeline],
    samples: Option<&Samples<'_>>,
) -> Result<bool> {
    let mut any = false;
    for (path, write) in chosen {
        let Some(path) = path else { continue };
        let mut to = file(path)?;
        write(&mut to, timelines, samples).and_then(|()| to.flush()).with_context(|| unwritten(path))?;
        any = true;
    }
    Ok(any)
}
