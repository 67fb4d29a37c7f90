//! One run of the program with the collector.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result};
use ora_collectors::nameless;
use ora_collectors::stat::AREA_VARIABLE;
use report::names::{INSTRUMENTED_VARIABLE, Instrumented};

use super::Run;
use crate::launch;

/// Environment variable that sets the time at which a worker's last barrier is reported: late, so that the program runs
/// no more barriers than on its own.
const BARRIER_VARIABLE: &str = "ORA_IBAR";

/// Runs the program once.
///
/// # Errors
/// If a library is missing, memory is refused, or the program can't be started.
pub(crate) fn measure(words: &[OsString], follow: bool) -> Result<Run> {
    measure_with(words, follow, &[])
}

/// As [`measure`], with more variables in the program's environment.
///
/// # Errors
/// As there.
pub(crate) fn measure_with(words: &[OsString], follow: bool, variables: &[(&str, OsString)]) -> Result<Run> {
    let shared = launch::shared(0)?;
    let written = nameless::create(c"ora-pomp-regions").context("cannot get a file for the program to write to")?;
    let finished = launch::run(words, &shared, AREA_VARIABLE, follow, |command| {
        command.env(INSTRUMENTED_VARIABLE, nameless::path(&written));
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        if env::var_os(BARRIER_VARIABLE).is_none() {
            command.env(BARRIER_VARIABLE, "late");
        }
    })?;
    let instrumented = Rc::new(Instrumented::read([Path::new(&nameless::path(&written))]));
    Ok(Run::read(shared.area(), &finished, &instrumented))
}
