//! One run of a program under the collector of `ora profile`, whose samples are read and then removed.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::SystemTime;

use anyhow::{Context, Result};
use profile_analysis::profile::Profile;
use profile_analysis::run;

use crate::args::View;
use crate::exit::Exit;
use crate::profile::Sampling;
use crate::recording_folder::{Recording, RecordingFolder};
use crate::{libraries, program, report, scratch};

/// Samples per second of each thread's CPU time.
const RATE: u32 = 1000;

/// Samples of a run with additional environment variables. The program's output is discarded. `None` if the run failed, or nothing was
/// sampled.
///
/// # Errors
/// If a library is missing, the folder for the samples can't be created, or the program can't be started.
pub(crate) fn sample(words: &[OsString], follow: bool, variables: &[(&str, OsString)]) -> Result<Option<Profile>> {
    let folder = scratch::folder().context("cannot create a folder for samples")?;
    let place = RecordingFolder::choose(Some(&folder.path().join("profile")), Recording::Profile)?;
    let preloaded = [libraries::find(libraries::LIBRARY)?, libraries::find(libraries::PROFILER)?];
    let mut command = program::command(words, &preloaded)?;
    Sampling { rate: RATE, signal: None, no_follow: !follow }.set(&mut command, &place);
    program::report_barriers_late(&mut command);
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = SystemTime::now();
    if Exit::of(program::run(&mut command, words)?) != Exit::Code(0) {
        return Ok(None);
    }
    let folders = place.processes();
    run::keep(&folders, started);
    Ok(report::samples(View::User, folders).ok())
}
