//! `ora tune`: looks for the settings of the environment with which a program is fastest, and shows what they bring.

mod choices;
mod json;
mod program;
mod search;
mod setting;
mod table;

use anyhow::{Result, bail};
use report::printable::command_line;

use crate::args::Tune;
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::progress::Progress;
use crate::quantity::count;
use crate::signals;
use choices::Choices;
use program::{Ended, Program};
use search::{Limits, Outcome, Search};

/// # Errors
/// If the program can't be started, does not end well as it is, or has no parallel region.
pub(crate) fn tune(args: &Tune) -> Result<Exit> {
    let mut output = Output::open(args.output.as_deref())?;
    let mut progress = if args.show_output { Progress::of_runs() } else { Progress::alone() };
    let program = Program::new(args)?;
    progress.show("first run, under `ora stat`");
    let seen = match program.watch()? {
        Ended::Well(seen) => seen,
        Ended::Badly(exit) => {
            drop(progress);
            eprintln!("ora: stopped at the first run: the program did not end well");
            return Ok(exit);
        }
    };
    let Some(choices) = Choices::of(&seen, &args.program, args.threads.as_ref()) else {
        bail!("no parallel region was seen, so there is nothing to tune: `ora doctor -- PROGRAM` says why");
    };
    let mut wrong = None;
    let limits = Limits { repeat: args.repeat as usize, runs: args.runs as usize };
    let mut search = Search::new(limits, |setting, runs| {
        if signals::interrupted() {
            return Ok(Outcome::Stop);
        }
        progress.show(&format!("run {}, with {}", runs + 1, setting.text()));
        Ok(match program.time(setting)? {
            Ended::Well(ns) => Outcome::Took(ns),
            Ended::Badly(exit) if setting.is_default() => {
                wrong = Some(exit);
                Outcome::Stop
            }
            Ended::Badly(_) => Outcome::Wrong,
        })
    });
    search.go(&choices.dimensions)?;
    let found = search.end();
    drop(progress);
    if let Some(exit) = wrong {
        eprintln!(
            "ora: stopped after {}: the program did not end well as it is",
            count(found.runs as u64, "run", "runs")
        );
        return Ok(exit);
    }
    let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
    let answer = if args.json {
        Answer::Json(json::document(&args.program, &found, &choices)?)
    } else {
        Answer::Page(table::page(&command_line(&words), &found, &choices), args.screen)
    };
    output.write(&answer)?;
    Ok(Exit::Code(0))
}
