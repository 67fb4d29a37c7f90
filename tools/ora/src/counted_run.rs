//! One run of a program under the collector of `ora stat`, for commands that show or compare its figures.
//!
//! The ranks of a launcher (`mpirun`, `srun`) are sampled as well, because the collector has no event for a call of MPI. The session
//! belongs to the collector.

use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Context, Result};
use attach_inside::nameless;
use profile_format::variable;
use stat_analysis::FinishedRun;
use stat_analysis::stat::{Run, job};
use stat_layout::area::SharedArea;
use stat_layout::stat::AREA_VARIABLE;
use stat_layout::stat::layout::Area;
use symbols::{INSTRUMENTED_VARIABLE, Instrumented};

use crate::args::USUAL_RATE;
use crate::scratch::{self, Scratch};
use crate::{launch, libraries, program};

/// Runs the program once. If it is a launcher, its job is measured as well.
///
/// # Errors
/// If a library is missing, memory is refused, or the program can't be started.
pub(crate) fn measure(words: &[OsString], follow: bool) -> Result<Run> {
    let prepared = Prepared { sampling: if follow { Sampling::of(words)? } else { None }, ..Prepared::new()? };
    let finished = prepared.run(words, follow, |_| {})?;
    let mut run = Run::read(prepared.area(), &finished, &prepared.instrumented());
    run.job = prepared.sampling.as_ref().and_then(|sampling| job(&run, sampling.folder.path()));
    Ok(run)
}

/// Runs the program once, with additional environment variables.
///
/// # Errors
/// The same as those of [`measure`].
pub(crate) fn measure_with(words: &[OsString], follow: bool, variables: &[(&str, OsString)]) -> Result<Run> {
    let prepared = Prepared::new()?;
    let envs = variables.iter().map(|(name, value)| (name, value));
    let finished = prepared.run(words, follow, |command| _ = command.envs(envs))?;
    Ok(Run::read(prepared.area(), &finished, &prepared.instrumented()))
}

/// Memory and file that the program and the collector write to.
#[derive(Debug)]
pub(crate) struct Prepared {
    shared: Arc<SharedArea<Area>>,
    /// File for the constructs that OPARI has instrumented.
    written: File,
    /// Samples of a job's ranks, if the program is a launcher.
    sampling: Option<Sampling>,
}

impl Prepared {
    /// # Errors
    /// If the system refuses the memory.
    pub(crate) fn new() -> Result<Self> {
        let written =
            nameless::create(c"ora-pomp-regions").context("cannot create a file for the program to write to")?;
        Ok(Self { shared: launch::shared(0)?, written, sampling: None })
    }

    /// The collector's memory.
    pub(crate) fn area(&self) -> &Area {
        self.shared.area()
    }

    /// Constructs that OPARI has instrumented, as far as the program has written them.
    pub(crate) fn instrumented(&self) -> Rc<Instrumented> {
        Rc::new(Instrumented::read([Path::new(&nameless::path(&self.written))]))
    }

    /// Runs the program once, to its end. `prepare` may change the command.
    ///
    /// # Errors
    /// If a library is missing, or the program can't be started.
    pub(crate) fn run(
        &self,
        words: &[OsString],
        follow: bool,
        prepare: impl FnOnce(&mut Command),
    ) -> Result<FinishedRun> {
        let first: Vec<&Path> = self.sampling.iter().map(Sampling::library).collect();
        launch::run(words, &first, &self.shared, AREA_VARIABLE, follow, |command| {
            self.sampling.iter().for_each(|sampling| sampling.prepare(command));
            command.env(INSTRUMENTED_VARIABLE, nameless::path(&self.written));
            prepare(command);
            program::report_barriers_late(command);
        })
    }
}

/// Programs that start ranks.
const LAUNCHERS: [&str; 12] =
    ["mpirun", "mpiexec", "orterun", "oshrun", "prterun", "prun", "srun", "aprun", "jsrun", "lrun", "flux", "ibrun"];

/// Samples of a run's processes.
#[derive(Debug)]
struct Sampling {
    folder: Scratch,
    library: PathBuf,
}

impl Sampling {
    /// Prepares the sampling if the program is a launcher.
    ///
    /// # Errors
    /// If the folder for the samples can't be created, or the library is missing.
    fn of(words: &[OsString]) -> Result<Option<Self>> {
        if !words.first().is_some_and(|program| is_launcher(program)) {
            return Ok(None);
        }
        let folder = scratch::folder().context("cannot create a temporary folder for samples of the ranks")?;
        Ok(Some(Self { folder, library: libraries::find(libraries::PROFILER)? }))
    }

    /// Library to preload. It precedes the collector's, because the last one is initialised first and gets the session.
    fn library(&self) -> &Path {
        &self.library
    }

    /// Sets the profiler's variables.
    fn prepare(&self, command: &mut Command) {
        let name = |variable: &'static CStr| OsStr::new(variable.to_str().unwrap_or_default());
        command.env(name(variable::FOLDER), self.folder.path());
        command.env(name(variable::RATE), USUAL_RATE.to_string());
        for other in [variable::SIGNAL, variable::QUOTA, variable::NO_FOLLOW] {
            command.env_remove(name(other));
        }
    }
}

fn is_launcher(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    let name = name.split('.').next().unwrap_or_default();
    LAUNCHERS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_are_known_by_their_file() {
        for name in ["mpirun", "/usr/bin/mpirun.openmpi", "mpiexec.hydra", "srun"] {
            assert!(is_launcher(OsStr::new(name)), "{name}");
        }
        for name in ["./program", "mpirunner", "sh", ""] {
            assert!(!is_launcher(OsStr::new(name)), "{name}");
        }
    }
}
