//! One run of the program with the collector. Unsafe: a step between fork and exec.
#![allow(unsafe_code)]

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Context, Result};
use ora_collectors::area::SharedArea;
use ora_collectors::clock::monotonic_ns;
use ora_collectors::stat::AREA_VARIABLE;

use super::Run;
use crate::ending::Ending;
use crate::{libraries, program, signals};

/// Says when a worker's last barrier is to be told: late, so that the program runs no barrier more than it has.
const BARRIER_VARIABLE: &str = "ORA_IBAR";

/// Runs the program once.
///
/// # Errors
/// When a library is missing, memory is refused, or the program can't be started.
pub(crate) fn measure(words: &[OsString], follow: bool) -> Result<Run> {
    measure_with(words, follow, &[])
}

/// As [`measure`], with more variables in the program's environment.
///
/// # Errors
/// As there.
pub(crate) fn measure_with(words: &[OsString], follow: bool, variables: &[(&str, OsString)]) -> Result<Run> {
    let preloaded = [libraries::find(libraries::LIBRARY)?, libraries::find(libraries::COLLECTORS)?];
    let shared = Arc::new(SharedArea::create().context("cannot get memory to share with the program")?);
    shared.area().header.no_follow.store(u32::from(!follow), Relaxed);

    let mut command = program::command(words, &preloaded)?;
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.env(AREA_VARIABLE, shared.path());
    if env::var_os(BARRIER_VARIABLE).is_none() {
        command.env(BARRIER_VARIABLE, "late");
    }
    say_who_is_first(&mut command, &shared);

    let start_ns = monotonic_ns();
    let status = signals::run(&mut command).map_err(|error| {
        program::cannot_start(words.first().map(OsString::as_os_str).unwrap_or(OsStr::new("")), &error)
    })?;
    let end_ns = monotonic_ns();
    Ok(Run::read(shared.area(), Ending::of(status), start_ns, end_ns))
}

/// The collector in the new process must know that it is the one that `ora` started.
fn say_who_is_first(command: &mut Command, shared: &Arc<SharedArea>) {
    let shared = Arc::clone(shared);
    let prepare = move || {
        shared.area().header.root_pid.store(std::process::id(), Relaxed);
        Ok(())
    };
    // SAFETY: a system call and a store to shared memory; nothing that another thread could have locked.
    unsafe { command.pre_exec(prepare) };
}
