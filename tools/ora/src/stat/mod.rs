//! `ora stat`: runs a program with the built-in collector and shows what it counted.

pub(crate) mod advised;
mod child;
mod difference;
mod efficiency;
pub(crate) mod facts;
mod figures;
mod forged_memory;
pub(crate) mod hints;
mod job;
pub(crate) mod json;
mod measure;
mod others;
mod processors;
mod rank_findings;
mod region_table;
pub(crate) mod regions;
mod report;
mod resolvers;
mod runtimes;
pub(crate) mod snapshot;
pub(crate) mod table;
mod time_split;

use std::ffi::OsString;

use ::terminal::printable::command_line;
use anyhow::Result;

use crate::args::Stat;
use crate::doctor;
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::signals;
pub(crate) use figures::Figures;
pub(crate) use measure::{Prepared, measure, measure_with};
pub(crate) use regions::Region;
pub(crate) use report::Report;
pub(crate) use resolvers::Resolvers;
pub(crate) use snapshot::Run;
pub(crate) use table::Table;
use terminal::progress::Progress;

/// # Errors
/// If a library is missing, FILE can't be written, or the program can't be started.
pub(crate) fn stat(args: &Stat) -> Result<Exit> {
    let mut output = Output::open(args.output.as_deref())?;
    let mut runs: Vec<Run> = Vec::new();
    let mut progress = Progress::of_runs();
    for number in 1..=args.repeat {
        if args.repeat > 1 {
            progress.show(&format!("run {number} of {}", args.repeat));
        }
        let run = measure(&args.program, !args.no_follow)?;
        let last = matches!(run.exit, Exit::Signal(_)) || signals::interrupted();
        runs.push(run);
        if last {
            break;
        }
    }
    drop(progress);
    let answer = if args.json {
        Answer::Json(json::document(&args.program, &runs)?)
    } else {
        let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
        let name = command_line(&words);
        let program = args.program.first().map(OsString::as_os_str).unwrap_or_default();
        let (wanted_runs, rows, followed) = (args.repeat as usize, args.threads, !args.no_follow);
        let report = Report::of(&runs);
        let why_unseen = if report.subject.is_none() { doctor::why_unseen(program) } else { None };
        let table = Table { name: &name, why_unseen, wanted_runs, rows, followed };
        Answer::Page(table.render(&report), args.screen)
    };
    output.write(&answer)?;
    // As it was the first time that it did not go well.
    let exits = runs.iter().map(|run| run.exit);
    let bad = exits.clone().find(|exit| *exit != Exit::Code(0));
    Ok(runs.last().map_or(Exit::Code(0), |last| match last.exit {
        Exit::Signal(_) => last.exit,
        Exit::Code(_) => bad.unwrap_or(last.exit),
    }))
}
