//! `ora trace`: runs the program with the recorder of events, and reports where the trace is.

use std::ffi::{CStr, OsStr};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use clap::ValueEnum;
use terminal::screen::Screen;
use trace_analysis::run::{self, Totals};
use trace_format::variable;

use crate::args::{Events, Trace};
use crate::exit::{Exit, ending};
use crate::output::{Answer, Output};
use crate::profile::Sampling;
use crate::recording_folder::{Recording, RecordingFolder};
use crate::{call_sites, dump, libraries, profile, program};

/// # Errors
/// If a library is missing, the folder can't be created, or the program can't be started.
pub(crate) fn trace(args: &Trace) -> Result<Exit> {
    if let Some(pid) = args.dump {
        return dump::dump(args, pid);
    }
    let sampler = args.sample.map(|_| libraries::PROFILER);
    let names = [libraries::LIBRARY].into_iter().chain(sampler).chain([libraries::TRACER]);
    let preloaded = names.map(libraries::find).collect::<Result<Vec<_>>>()?;
    program::refuse_disabled("trace")?;
    let place = RecordingFolder::choose(args.output.as_deref(), Recording::Trace)?;
    let mut command = program::command(&args.program, &preloaded).inspect_err(|_| place.leave())?;
    call_sites::hand_over(&args.program, &mut command);
    let name = |variable: &'static CStr| OsStr::new(variable.to_str().unwrap_or_default());
    command.env(name(variable::FOLDER), place.folder());
    command.env(name(variable::EVENTS), events(&args.events));
    let ns = |time: Duration| time.as_nanos().to_string();
    let number = |is_wanted: bool| is_wanted.then(|| std::process::id().to_string());
    for (variable, value) in [
        (variable::LAST, args.last.map(ns)),
        (variable::SLOW, args.slow.map(ns)),
        (variable::NO_FOLLOW, number(args.no_follow)),
    ] {
        match value {
            Some(value) => command.env(name(variable), value),
            None => command.env_remove(name(variable)),
        };
    }
    if let Some(rate) = args.sample {
        Sampling { rate, signal: args.signal, no_follow: args.no_follow }.set(&mut command, &place);
    }
    // Without this, no runtime looks for its tool.
    command.env("OMP_TOOL", "enabled");
    program::report_barriers_late(&mut command);
    let started = SystemTime::now();
    let status = program::run(&mut command, &args.program).inspect_err(|_| place.leave())?;
    let exit = Exit::of(status);
    let samples = args.sample.map(|_| profile::samples_in_words(&place, started)).unwrap_or_default();
    show(&place, exit, &samples, args.screen)?;
    Ok(exit)
}

/// Shows the summary of a trace. `samples` are lines about its samples.
///
/// # Errors
/// If it can't be written.
pub(crate) fn show(place: &RecordingFolder, exit: Exit, samples: &[String], screen: Screen) -> Result<()> {
    let totals = Totals::of(&place.processes());
    if totals.processes == 0 && totals.unreadable.is_empty() && samples.is_empty() {
        place.leave();
    }
    Output::Stderr.write(&Answer::Page(run::page(&place.shown(), &totals, &ending(exit), samples), screen))
}

/// List of kinds of events in the format of the recorder.
pub(crate) fn events(events: &[Events]) -> String {
    let names = events.iter().filter_map(|events| Some(events.to_possible_value()?.get_name().to_owned()));
    names.collect::<Vec<_>>().join(",")
}
