//! At which levels of watching a program runs.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use serde::Serialize;

use crate::programs::{Programs, undisturbed};

/// How the program is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    /// Without the library.
    Bare,
    /// The same once more: what differs is noise.
    Again,
    /// With the library, and no tool: level 0.
    Off,
    /// A session is open, no event is registered: level 1.
    Tracking,
    /// FORK has an empty callback: level 2.
    Fork,
    /// `ora profile`, so many samples a second.
    Sampled100,
    Sampled1000,
    /// Every event that the host knows has an empty callback: level 2.
    All,
}

impl Level {
    const EVERY: [Self; 8] = [
        Self::Bare,
        Self::Again,
        Self::Off,
        Self::Tracking,
        Self::Fork,
        Self::Sampled100,
        Self::Sampled1000,
        Self::All,
    ];
    /// Those beside the bare program.
    pub(super) const WATCHED: [Self; 7] = {
        let [_, rest @ ..] = Self::EVERY;
        rest
    };
    /// Those whose instructions are counted, and whose growth is looked at.
    pub(super) const COUNTED: [Self; 4] = [Self::Bare, Self::Off, Self::Tracking, Self::All];

    /// All of them, another one first in each round.
    pub(super) fn of_round(round: u32) -> [Self; 8] {
        let mut levels = Self::EVERY;
        levels.rotate_left(round as usize % Self::EVERY.len());
        levels
    }

    /// What it may cost whole programs, in percent.
    pub(super) fn goal(self) -> Option<f64> {
        match self {
            Self::Off | Self::Sampled100 => Some(1.0),
            Self::Sampled1000 => Some(3.0),
            Self::All => Some(5.0),
            _ => None,
        }
    }

    /// What the collector calls it; `None` where there is no collector of ours.
    fn collector(self) -> Option<&'static str> {
        match self {
            Self::Tracking => Some("tracking"),
            Self::Fork => Some("fork"),
            Self::All => Some("all"),
            Self::Bare | Self::Again | Self::Off | Self::Sampled100 | Self::Sampled1000 => None,
        }
    }

    fn rate(self) -> Option<&'static str> {
        match self {
            Self::Sampled100 => Some("100"),
            Self::Sampled1000 => Some("1000"),
            _ => None,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Bare => "bare",
            Self::Again => "bare again",
            Self::Off => "level 0",
            Self::Tracking => "tracking",
            Self::Fork => "FORK only",
            Self::Sampled100 => "100 Hz",
            Self::Sampled1000 => "1 kHz",
            Self::All => "all events",
        })
    }
}

/// What the levels need.
pub(super) struct Levels {
    library: PathBuf,
    collector: PathBuf,
    ora: PathBuf,
    /// Where profiles go.
    profile: PathBuf,
}

impl Levels {
    pub(super) fn find(programs: &Programs) -> Result<Self> {
        let library = programs.library.clone();
        let ora = library.with_file_name("ora");
        if !ora.is_file() {
            bail!("{} does not exist. Next: cargo build --release", ora.display());
        }
        let collector = programs.compile("collector", "all-collector.so", &["-shared", "-fPIC"])?;
        Ok(Self { library, collector, ora, profile: programs.file("all-profile") })
    }

    /// A command that runs `program` at a level.
    pub(super) fn command(&self, level: Level, program: &Path, arguments: &[OsString]) -> Result<Command> {
        let mut command = Command::new(program);
        if let Some(rate) = level.rate() {
            if self.profile.is_dir() {
                fs::remove_dir_all(&self.profile)?;
            }
            command = Command::new(&self.ora);
            command.args(["profile", "-F", rate, "-o"]).arg(&self.profile).arg("--").arg(program);
        }
        command.args(arguments);
        self.preload(&mut command, level);
        Ok(command)
    }

    /// Sets a level's variables, and takes out what would change the measurement.
    pub(super) fn preload(&self, command: &mut Command, level: Level) {
        undisturbed(command);
        if matches!(level, Level::Bare | Level::Again) || level.rate().is_some() {
            return;
        }
        let mut preload = self.library.clone().into_os_string();
        if let Some(mode) = level.collector() {
            preload.push(":");
            preload.push(&self.collector);
            command.env("BENCH_MODE", mode);
        }
        command.env("LD_PRELOAD", preload);
    }
}
