//! `ora report`: shows what `ora profile` has collected.

use std::io::{self, Write as _};

use ::report::input::{InputError, Process, folders};
use ::report::names::Names;
use ::report::offsets::Offsets;
use ::report::profile::{Profile, build};
use ::report::{json, text, user_model};
use anyhow::{Context, Result};

use crate::args::{Report, View};
use crate::ending::{Ending, Failure};

/// There is nothing to report.
const NO_PROFILE: u8 = 2;

/// # Errors
/// When there is no profile, or FILE can't be written.
pub(crate) fn report(args: &Report) -> Result<Ending> {
    let profile = read(args).map_err(|error| Failure { code: NO_PROFILE, message: error.to_string() })?;
    let report = ::report::Report::of(&profile);
    let text = if args.json { json::document(&report)? } else { text::render(&report, args.max) };
    match &args.output {
        Some(path) => std::fs::write(path, text).with_context(|| format!("cannot write to {}", path.display()))?,
        // Whoever closed stdout doesn't want to know.
        None => io::stdout().lock().write_all(text.as_bytes()).or(Ok::<(), io::Error>(()))?,
    }
    Ok(Ending::Code(0))
}

fn read(args: &Report) -> Result<Profile, InputError> {
    let view = match args.view {
        View::User => user_model::View::User,
        View::Expert => user_model::View::Expert,
        View::Machine => user_model::View::Machine,
    };
    let folders = folders(&args.folders)?;
    build(folders.iter().map(|folder| Process::open(folder)), view, &mut names)
}

/// What knows the functions of a process.
fn names(process: &Process) -> Box<dyn Names> {
    Box::new(Offsets::of(process))
}
