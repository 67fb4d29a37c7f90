//! `ora stat`: runs a program with the built-in collector and shows its counts. The crate `stat_analysis` converts the collector's memory
//! to figures, tables and JSON.

use std::ffi::OsString;

use anyhow::Result;
use stat_analysis::stat::{Report, Run, Table, html, json};
use terminal::printable::command_line;
use terminal::progress::Progress;

use crate::args::Stat;
use crate::counted_run::measure;
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::page_file::PageFile;
use crate::{doctor, signals};

/// # Errors
/// If a library is missing, FILE can't be written, or the program can't be started.
pub(crate) fn stat(args: &Stat) -> Result<Exit> {
    let mut output = Output::open(args.output.as_deref())?;
    let mut page = args.html.as_deref().map(PageFile::open).transpose()?;
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
    let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
    let name = command_line(&words);
    let program = args.program.first().map(OsString::as_os_str).unwrap_or_default();
    let report = Report::of(&runs);
    let why_unseen = if report.subject.is_none() { doctor::why_unseen(program) } else { None };
    if let Some(page) = &mut page {
        page.write(|sources| html::document(&name, &report, why_unseen.as_ref(), sources))?;
    }
    let answer = if args.json {
        Answer::Json(json::document(&args.program, &runs)?)
    } else {
        let (wanted_runs, rows, followed) = (args.repeat as usize, args.rows, !args.no_follow);
        let table = Table { name: &name, why_unseen, without_events: None, wanted_runs, rows, followed };
        Answer::Page(table.render(&report), args.screen)
    };
    output.write(&answer)?;
    // The exit status of the first failed run.
    let exits = runs.iter().map(|run| run.exit);
    let bad = exits.clone().find(|exit| *exit != Exit::Code(0));
    Ok(runs.last().map_or(Exit::Code(0), |last| match last.exit {
        Exit::Signal(_) => last.exit,
        Exit::Code(_) => bad.unwrap_or(last.exit),
    }))
}
