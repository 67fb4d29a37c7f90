//! Ways of running a program: bare, or under a profiler.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde::Serialize;

use crate::programs::{Programs, undisturbed};

/// The profiler. Numbers are samples per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Way {
    Bare,
    /// The bare program a second time: the difference is noise.
    Again,
    Ora100,
    Ora1000,
    Perf100,
    Perf1000,
    Gprofng100,
    Gprofng1000,
}

/// Ways that are available on this machine.
pub(super) struct Ways {
    pub(super) list: Vec<Way>,
    ora: PathBuf,
    passive: bool,
    /// Folder for profiles.
    folder: PathBuf,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Bare => "bare",
            Self::Again => "bare again",
            Self::Ora100 => "ora, 100 Hz",
            Self::Ora1000 => "ora, 1 kHz",
            Self::Perf100 => "perf -g, 100 Hz",
            Self::Perf1000 => "perf -g, 1 kHz",
            Self::Gprofng100 => "gprofng, 100 Hz",
            Self::Gprofng1000 => "gprofng, 1 kHz",
        })
    }
}

impl Way {
    /// Allowed overhead, in percent.
    pub(super) fn goal(self) -> Option<f64> {
        match self {
            Self::Ora100 => Some(1.0),
            Self::Ora1000 => Some(3.0),
            _ => None,
        }
    }
}

impl Ways {
    /// Finds the ways that work here; the reasons why others don't are added to `missing`.
    pub(super) fn find(programs: &Programs, passive: bool, missing: &mut BTreeMap<String, String>) -> Result<Self> {
        let mut ways = Self {
            list: vec![Way::Bare, Way::Again, Way::Ora100, Way::Ora1000],
            ora: programs.ora()?,
            passive,
            folder: programs.file("profile-out"),
        };
        for (name, both) in [("perf", [Way::Perf100, Way::Perf1000]), ("gprofng", [Way::Gprofng100, Way::Gprofng1000])]
        {
            match ways.works(both[0]) {
                Ok(()) => ways.list.extend(both),
                Err(why) => _ = missing.insert(name.to_owned(), why),
            }
        }
        Ok(ways)
    }

    /// Path of a way's profile after a run.
    pub(super) fn output(&self, way: Way) -> PathBuf {
        // gprofng requires this extension.
        self.folder.join(format!("{way:?}.er"))
    }

    /// Command that runs `program` with these arguments.
    pub(super) fn command(&self, way: Way, program: &Path, arguments: &[OsString]) -> Result<Command> {
        let output = self.output(way);
        fs::create_dir_all(&self.folder)?;
        if output.is_dir() {
            fs::remove_dir_all(&output)?;
        } else if output.exists() {
            fs::remove_file(&output)?;
        }
        let (profiler, words): (&OsStr, &[&str]) = match way {
            Way::Bare | Way::Again => {
                let mut command = Command::new(program);
                self.undisturbed(command.args(arguments));
                return Ok(command);
            }
            Way::Ora100 => (self.ora.as_os_str(), &["profile", "-F", "100", "-o"]),
            Way::Ora1000 => (self.ora.as_os_str(), &["profile", "-F", "1000", "-o"]),
            Way::Perf100 => ("perf".as_ref(), &["record", "-q", "-g", "-F", "100", "-o"]),
            Way::Perf1000 => ("perf".as_ref(), &["record", "-q", "-g", "-F", "1000", "-o"]),
            Way::Gprofng100 => ("gprofng".as_ref(), &["collect", "app", "-p", "on", "-o"]),
            Way::Gprofng1000 => ("gprofng".as_ref(), &["collect", "app", "-p", "hi", "-o"]),
        };
        let mut command = Command::new(profiler);
        command.args(words).arg(&output);
        if !matches!(way, Way::Gprofng100 | Way::Gprofng1000) {
            command.arg("--");
        }
        self.undisturbed(command.arg(program).args(arguments));
        Ok(command)
    }

    /// Removes variables that would change the measurement.
    fn undisturbed(&self, command: &mut Command) {
        undisturbed(command);
        if self.passive {
            command.env("OMP_WAIT_POLICY", "passive");
        }
    }

    /// Tries a way; `Err` contains the reason why it doesn't work.
    fn works(&self, way: Way) -> Result<(), String> {
        let command = self.command(way, Path::new("/bin/true"), &[]);
        let output = command.and_then(|mut command| Ok(command.output()?)).map_err(|error| error.to_string())?;
        if output.status.success() && self.output(way).exists() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        Err(text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it wrote nothing").trim().to_owned())
    }
}
