//! Levels of watching at which a program runs.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::mode::Mode;
use crate::programs::Programs;

/// Levels that run in each round.
pub(super) const EVERY: [Mode; 8] =
    [Mode::Bare, Mode::Again, Mode::Off, Mode::Tracking, Mode::Fork, Mode::Sampled100, Mode::Sampled1000, Mode::All];
/// Levels other than the bare program.
pub(super) const WATCHED: [Mode; 7] = {
    let [_, rest @ ..] = EVERY;
    rest
};
/// Levels whose instructions are counted, and whose growth is measured.
pub(super) const COUNTED: [Mode; 4] = [Mode::Bare, Mode::Off, Mode::Tracking, Mode::All];

/// Allowed overhead of a level on whole programs, in percent.
pub(super) fn goal(level: Mode) -> Option<f64> {
    match level {
        Mode::Off | Mode::Sampled100 => Some(1.0),
        Mode::Sampled1000 => Some(3.0),
        Mode::All => Some(5.0),
        _ => None,
    }
}

/// Paths that the levels' commands need.
pub(super) struct Levels<'a> {
    programs: &'a Programs,
    ora: PathBuf,
    /// Folder for profiles.
    profile: PathBuf,
}

impl<'a> Levels<'a> {
    pub(super) fn find(programs: &'a Programs) -> Result<Self> {
        Ok(Self { programs, ora: programs.ora()?, profile: programs.file("all-profile") })
    }

    /// Returns a command that runs `program` at a level.
    pub(super) fn command(&self, level: Mode, program: &Path, arguments: &[OsString]) -> Result<Command> {
        let rate = match level {
            Mode::Sampled100 => Some("100"),
            Mode::Sampled1000 => Some("1000"),
            _ => None,
        };
        let mut command = Command::new(program);
        if let Some(rate) = rate {
            if self.profile.is_dir() {
                fs::remove_dir_all(&self.profile)?;
            }
            command = Command::new(&self.ora);
            command.args(["profile", "-F", rate, "-o"]).arg(&self.profile).arg("--").arg(program);
        }
        command.args(arguments);
        self.programs.watch(&mut command, level);
        Ok(command)
    }
}
