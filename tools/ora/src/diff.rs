//! `ora diff`: reads two measurements, and shows the changes. The crate `diff` compares them.

use std::path::Path;

use ::diff::{Difference, Side, pairs};
use ::symbols::Files;
use anyhow::{Result, bail};
use profile_analysis::input::folders;
use terminal::printable::Shown;

use crate::args::Diff;
use crate::exit::{Exit, Failure};
use crate::output::{Answer, Output};
use crate::report;

/// The wall-clock time has grown by more than `--fail-above` allows.
const SLOWER: u8 = 1;
/// There is nothing to compare.
const NOTHING: u8 = 2;

/// # Errors
/// If there is nothing to compare, or the output can't be written.
pub(crate) fn diff(args: &Diff) -> Result<Exit> {
    let files = Files::default();
    let read = |path| read(path, &files).map_err(|error| Failure { code: NOTHING, message: format!("{error:#}") });
    let (before, after) = (read(&args.before)?, read(&args.after)?);
    let Some(pairs) = pairs(&before, &after) else {
        let kind = |sides: &[Side]| sides.first().map(|side| side.origin).unwrap_or_default();
        let message = format!(
            "{} is {}, and {} is {}: compare two of one kind",
            args.before.shown(),
            kind(&before),
            args.after.shown(),
            kind(&after)
        );
        return Err(Failure { code: NOTHING, message }.into());
    };
    let Some(difference) = Difference::of(&pairs) else { bail!("there is no time to compare with") };
    let answer = if args.json {
        Answer::Json(::diff::json(&difference)?)
    } else {
        Answer::Page(::diff::page(&difference, args.rows), args.screen)
    };
    Output::file_or(args.output.as_deref(), Output::Stdout)?.write(&answer)?;
    let is_slower = args.fail_above.is_some_and(|part| difference.is_above(part));
    Ok(Exit::Code(if is_slower { SLOWER } else { 0 }))
}

/// Reads a file of `ora stat --json`, or the folder of a profile or trace. Returns a side for each source of its figures; the events of a
/// trace precede its samples.
///
/// # Errors
/// If it can't be read, or is none of these.
fn read(path: &Path, files: &Files) -> Result<Vec<Side>> {
    if !path.is_dir() {
        return Ok(vec![::diff::of_stat(path)?]);
    }
    let folders = folders(&[path.to_owned()])?;
    let timelines = report::timelines(&folders, files)?;
    let mut sides = Vec::new();
    if !timelines.is_empty() {
        sides.push(::diff::of_trace(&timelines));
    }
    let is_sampled = trace_analysis::Timeline::are_sampled(&timelines, folders.len());
    drop(timelines);
    if is_sampled {
        sides.push(::diff::of_profile(&report::document(folders)?)?);
    }
    if sides.iter().any(Side::is_empty) {
        bail!("{} has recorded nothing", path.shown());
    }
    Ok(sides)
}
