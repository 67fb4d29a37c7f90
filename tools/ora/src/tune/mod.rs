//! `ora tune`: looks for the settings of the environment with which a program is fastest, and shows what they bring.

mod bodies;
mod by_region;
mod choices;
mod json;
mod program;
mod search;
mod setting;
mod settings_file;
mod table;

use std::cell::RefCell;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use terminal::printable::command_line;

use crate::args::Tune;
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::quantity::count;
use crate::signals;
use by_region::{ByRegion, Value};
use choices::Choices;
use program::{Ended, Program};
use search::{LOOKS, Limits, Outcome, Search};
use setting::{BY_REGION, Setting};
use settings_file::ByFile;
use terminal::progress::Progress;

/// # Errors
/// If the program can't be started, does not end well as it is, or has no parallel region.
pub(crate) fn tune(args: &Tune) -> Result<Exit> {
    let mut output = Output::open(args.output.as_deref())?;
    let mut progress = if args.show_output { Progress::of_runs() } else { Progress::alone() };
    let program = Program::new(args)?;
    progress.show("first run, under `ora stat`");
    let seen = match program.watch(&Setting::default())? {
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
    let progress = RefCell::new(progress);
    let limits = Limits { repeat: args.repeat as usize, runs: args.runs as usize };
    let mut search = Search::new(limits, |setting, runs| {
        if signals::interrupted() {
            return Ok(Outcome::Stop);
        }
        progress.borrow_mut().show(&format!("run {}, with {}", runs + 1, setting.text()));
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
    let file = program.file(settings_file::NAME);
    let by_region = ByRegion::of(&seen, args.threads.as_ref());
    let by_region = by_region.map(|it| look(it, &mut search, &program, &progress, &file)).transpose()?.flatten();
    search.compare()?;
    let mut found = search.end();
    drop(progress);
    if let Some(exit) = wrong {
        eprintln!(
            "ora: stopped after {}: the program did not end well as it is",
            count(found.runs as u64, "run", "runs")
        );
        return Ok(exit);
    }
    let by_region = by_region.map(|it| ByFile::keep(it, args.write.as_deref(), &mut found, &file)).transpose()?;
    let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
    let answer = if args.json {
        Answer::Json(json::document(&args.program, &found, &choices, by_region.as_ref())?)
    } else {
        Answer::Page(table::page(&command_line(&words), &found, &choices, by_region.as_ref()), args.screen)
    };
    output.write(&answer)?;
    Ok(Exit::Code(0))
}

/// Looks at regions under the best setting of several threads so far, and tries what makes them faster. `None`: nothing does.
///
/// # Errors
/// If a run can't be made.
fn look<R: FnMut(&Setting, usize) -> Result<Outcome>>(
    mut by_region: ByRegion,
    search: &mut Search<R>,
    program: &Program<'_>,
    progress: &RefCell<Progress>,
    file: &Path,
) -> Result<Option<ByRegion>> {
    if by_region.looks() >= search.room() {
        return Ok(None);
    }
    // One thread may be best because chunks are too small for several.
    let base = Some(search.best()).filter(|best| !best.is_of_one_thread()).cloned().unwrap_or_default();
    let setting = base.with(&[(BY_REGION, &file.to_string_lossy())]);
    let write = |text: &str| fs::write(file, text).context("cannot write the settings by region");
    let rounds = if 2 * by_region.looks() + LOOKS < search.room() { 2 } else { 1 };
    let is_any = by_region.choose(rounds, |value, text| {
        if signals::interrupted() {
            return Ok(None);
        }
        progress.borrow_mut().show(&format!("a look at each region, with {value}"));
        write(text)?;
        search.count_look();
        Ok(match program.watch(&setting)? {
            Ended::Well(run) => Some(run),
            Ended::Badly(_) => None,
        })
    })?;
    if !is_any {
        return Ok(None);
    }
    write(&by_region.text(Value::AsItIs))?;
    search.attempt(setting)?;
    Ok(Some(by_region))
}
