//! `ora profile`: runs the program with the sampling collector, and reports where the profile is.

use std::ffi::{CStr, OsStr};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Result, bail};
use attach_outside::process::Process;
use profile_analysis::run::{self, Totals};
use profile_format::variable;
use symbols::{INSTRUMENTED_FILE, INSTRUMENTED_VARIABLE};
use terminal::screen::Screen;

use crate::args::{Chosen, Clock, Profile};
use crate::exit::{Exit, ending};
use crate::output::{Answer, Output};
use crate::recording_folder::{Recording, RecordingFolder};
use crate::{call_sites, libraries, program, report_lines};

/// # Errors
/// If a library is missing, the folder can't be created, or the program can't be started.
pub(crate) fn profile(args: &Profile) -> Result<Exit> {
    if args.clock == Some(Clock::Wall) {
        bail!(
            "--clock wall no longer exists: its signals ended the program's sleep, poll and select early. Time asleep is \
             shown without it: waits as <OMP-...>, the rest as <asleep outside of OpenMP>"
        );
    }
    let preloaded = [libraries::find(libraries::LIBRARY)?, libraries::find(libraries::PROFILER)?];
    program::refuse_disabled("profile")?;
    let place = RecordingFolder::choose(args.output.as_deref(), Recording::Profile)?;
    let mut command = program::command(&args.program, &preloaded).inspect_err(|_| place.leave())?;
    call_sites::hand_over(&args.program, &mut command);
    Sampling { rate: args.rate, signal: args.signal, no_follow: args.no_follow }.set(&mut command, &place);
    program::report_barriers_late(&mut command);
    let started = SystemTime::now();
    let status = program::run(&mut command, &args.program).inspect_err(|_| place.leave())?;
    let exit = Exit::of(status);
    show(&place, started, exit, args.screen)?;
    Ok(exit)
}

/// Settings of the sampling collector.
pub(crate) struct Sampling {
    pub(crate) rate: u32,
    pub(crate) signal: Option<Chosen>,
    pub(crate) no_follow: bool,
}

impl Sampling {
    /// Sets the environment variables that the collector reads.
    pub(crate) fn set(&self, command: &mut Command, place: &RecordingFolder) {
        let name = |variable: &'static CStr| OsStr::new(variable.to_str().unwrap_or_default());
        command.env(name(variable::FOLDER), place.folder());
        command.env(INSTRUMENTED_VARIABLE, place.folder().join(INSTRUMENTED_FILE));
        command.env(name(variable::RATE), self.rate.to_string());
        for (variable, value) in [
            (variable::QUOTA, stat_analysis::quota::of_this_process().map(|quota| quota.to_string())),
            (variable::SIGNAL, self.signal.map(|signal| signal.0.to_string())),
            (variable::NO_FOLLOW, self.no_follow.then(|| std::process::id().to_string())),
        ] {
            match value {
                Some(value) => command.env(name(variable), value),
                None => command.env_remove(name(variable)),
            };
        }
    }
}

/// Lines about the samples of a recording, for a summary. Keeps the names of code that the program has generated. `started` is the time at
/// which its first process started.
pub(crate) fn samples_in_words(place: &RecordingFolder, started: SystemTime) -> Vec<String> {
    let folders = place.processes();
    run::keep(&folders, started);
    run::samples(&Totals::of(&folders, |pid| Process { pid }.lives()))
}

/// Completes a profile, and shows its summary. `started` is the time at which its first process started.
///
/// # Errors
/// If the summary can't be written.
pub(crate) fn show(place: &RecordingFolder, started: SystemTime, exit: Exit, screen: Screen) -> Result<()> {
    let folders = place.processes();
    run::keep(&folders, started);
    let totals = Totals::of(&folders, |pid| Process { pid }.lives());
    let found = report_lines::lines(&folders, &totals);
    Output::Stderr.write(&Answer::Page(run::page(&place.shown(), &totals, &ending(exit), &found), screen))
}
