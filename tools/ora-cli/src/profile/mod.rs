//! `ora profile`: the program with the sampling collector, and where the profile is.

mod perf_map;
mod report_lines;
mod summary;
mod totals;

use std::env;
use std::ffi::{OsStr, OsString};
use std::time::SystemTime;

use anyhow::{Result, bail};
use profile_data::variable;
use report::names::{INSTRUMENTED_FILE, INSTRUMENTED_VARIABLE};

use crate::args::{Clock, Profile};
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::recording_folder::{Recording, RecordingFolder};
use crate::screen::Screen;
use crate::{libraries, program, quota, signals};

use totals::Totals;

/// Samples in a second.
pub(crate) const USUAL_RATE: u32 = 100;

/// # Errors
/// If a library is missing, the folder can't be made, or the program can't be started.
pub(crate) fn profile(args: &Profile) -> Result<Exit> {
    if args.clock == Some(Clock::Wall) {
        bail!(
            "there is no --clock wall any more: its signals ended the program's sleep, poll and select early. Time asleep is \
             shown without it: waits as <OMP-...>, the rest as <asleep outside of OpenMP>"
        );
    }
    let preloaded = [libraries::find(libraries::LIBRARY)?, libraries::find(libraries::PROFILER)?];
    if env::var_os("ORA_DISABLE").is_some_and(|set| set == "1") {
        bail!("ORA_DISABLE=1 is set: nothing would be seen. Unset it: `env -u ORA_DISABLE ora profile ...`");
    }
    let place = RecordingFolder::choose(args.output.as_deref(), Recording::Profile)?;
    let mut command = program::command(&args.program, &preloaded)?;
    let name = |variable: &'static std::ffi::CStr| OsStr::new(variable.to_str().unwrap_or_default());
    command.env(name(variable::FOLDER), place.folder());
    command.env(INSTRUMENTED_VARIABLE, place.folder().join(INSTRUMENTED_FILE));
    command.env(name(variable::RATE), args.rate.to_string());
    match quota::of_this_process() {
        Some(quota) => command.env(name(variable::QUOTA), quota.to_string()),
        None => command.env_remove(name(variable::QUOTA)),
    };
    match args.signal {
        Some(signal) => command.env(name(variable::SIGNAL), signal.0.to_string()),
        None => command.env_remove(name(variable::SIGNAL)),
    };
    command.env_remove(name(variable::NO_FOLLOW));
    if args.no_follow {
        command.env(name(variable::NO_FOLLOW), std::process::id().to_string());
    }
    if env::var_os("ORA_IBAR").is_none() {
        // The program runs no barrier more than it has.
        command.env("ORA_IBAR", "late");
    }
    let started = SystemTime::now();
    let status = signals::run(&mut command).map_err(|error| {
        place.leave();
        program::cannot_start(args.program.first().map(OsString::as_os_str).unwrap_or_default(), &error)
    })?;
    let exit = Exit::of(status);
    show(&place, started, exit, args.screen)?;
    Ok(exit)
}

/// Completes a profile, and shows its summary. `started`: time at which its first process was.
///
/// # Errors
/// If the summary can't be written.
pub(crate) fn show(place: &RecordingFolder, started: SystemTime, exit: Exit, screen: Screen) -> Result<()> {
    perf_map::keep(place, started);
    let totals = Totals::of(place);
    let found = report_lines::lines(place, &totals);
    Output::Stderr.write(&Answer::Page(summary::page(place, &totals, exit, &found), screen))
}
