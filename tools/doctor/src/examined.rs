//! Examination of a program, before a run and during one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::findings::{Effect, Findings, Reason, Subject};
use crate::observed_run::{self, Ended};
use crate::refusal::Refusal;
use crate::setting::{Installed, Setting};
use crate::{program, script};

/// A program that has been examined.
#[derive(Debug)]
pub struct Examined {
    findings: Findings,
    setting: Setting,
}

impl Examined {
    /// Examines the program in this file, without running it. `name` is the user's name for it; `tools` are the libraries that the
    /// user would add.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn program(path: &Path, name: String, tools: &[PathBuf], installed: &Installed) -> Result<Self, Refusal> {
        let mut findings = Findings::new(Subject::Program, name);
        let setting = Setting::look(installed, tools, &mut findings);
        let read = |error: anyhow::Error| Refusal(format!("cannot examine: {error:#}"));
        let executable = script::interpreter(path, &mut findings).map_err(read)?;
        program::examine(&executable, &setting, &mut findings).map_err(read)?;
        if findings.subject == Subject::Script {
            // The interpreter itself need not use OpenMP.
            findings.reasons.retain(|reason| !matches!(reason.id, "no_openmp" | "loaded_later"));
        }
        Ok(Self { findings, setting })
    }

    /// Runs the program, and adds what happened. `folder` creates an empty folder for logs, and `start` runs the program with
    /// these libraries preloaded and with these variables; both are called only if libora.so can be preloaded.
    ///
    /// # Errors
    /// As for `folder` and `start`.
    pub fn run<F: AsRef<Path>>(
        &mut self,
        folder: impl FnOnce() -> anyhow::Result<F>,
        start: impl FnOnce(&[PathBuf], Vec<(&'static str, OsString)>) -> anyhow::Result<Ended>,
    ) -> anyhow::Result<()> {
        let Some(library) = self.setting.preloadable() else {
            observed_run::not_run(&mut self.findings);
            return Ok(());
        };
        let folder = folder()?;
        observed_run::run(&self.setting, library, folder.as_ref(), &mut self.findings, start)
    }

    /// The findings so far.
    pub fn into_findings(self) -> Findings {
        self.findings
    }
}

/// Reason why nothing of a program can be seen, and the remedy. `None` unless that is certain without running the
/// program.
pub fn why_unseen(path: &Path, installed: &Installed) -> Option<(String, String)> {
    let mut findings = Findings::new(Subject::Program, String::new());
    let setting = Setting::look(installed, &[], &mut findings);
    let executable = script::interpreter(path, &mut findings).ok()?;
    program::examine(&executable, &setting, &mut findings).ok()?;
    let hides = |reason: &&Reason| reason.effect == Effect::HidesAll && reason.id != "no_openmp";
    findings.reasons.iter().find(hides).map(|reason| (reason.what.clone(), reason.what_to_do.clone()))
}
