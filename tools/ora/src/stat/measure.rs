//! One run of the program with the collector.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Context, Result};
use attach_inside::nameless;
use stat_layout::area::SharedArea;
use stat_layout::stat::AREA_VARIABLE;
use stat_layout::stat::layout::Area;
use symbols::{INSTRUMENTED_VARIABLE, Instrumented};

use super::Run;
use super::job::Sampling;
use crate::launch::{self, FinishedRun};

/// Environment variable that sets the time at which a worker's last barrier is reported: late, so that the program runs
/// no more barriers than on its own.
const BARRIER_VARIABLE: &str = "ORA_IBAR";

/// Runs the program once. Of a launcher the job is measured, too.
///
/// # Errors
/// If a library is missing, memory is refused, or the program can't be started.
pub(crate) fn measure(words: &[OsString], follow: bool) -> Result<Run> {
    let prepared = Prepared { sampling: if follow { Sampling::of(words)? } else { None }, ..Prepared::new()? };
    let finished = prepared.run(words, follow, |_| {})?;
    let mut run = Run::read(prepared.area(), &finished, &prepared.instrumented());
    run.job = prepared.sampling.as_ref().and_then(|sampling| sampling.job(&run));
    Ok(run)
}

/// Runs the program once, with more variables in its environment.
///
/// # Errors
/// As [`measure`].
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
    /// Constructs that OPARI has instrumented.
    written: File,
    /// Samples of a job's ranks.
    sampling: Option<Sampling>,
}

impl Prepared {
    /// # Errors
    /// If the system refuses the memory.
    pub(crate) fn new() -> Result<Self> {
        let written = nameless::create(c"ora-pomp-regions").context("cannot get a file for the program to write to")?;
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
            if env::var_os(BARRIER_VARIABLE).is_none() {
                command.env(BARRIER_VARIABLE, "late");
            }
        })
    }
}
