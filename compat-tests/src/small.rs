//! Small programs of `programs/small`: one for each construct and corner case. The comments of a program contain its settings: `with:
//! NAME=value NAME=value` sets variables; `ends: signal 6` or `ends: exit 1` declares an end other than exit code 0.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use crate::forge::Forge;
use crate::library::crate_dir;
use crate::run::Launch;

/// A program of `programs/small`.
#[derive(Clone, Debug)]
pub struct Small {
    /// File name in `programs/`.
    pub source: String,
    env: Vec<(String, String)>,
    ends: String,
}

impl Small {
    fn read(folder: &Path, name: &str) -> Self {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let said = |what: &str| {
            let line = text.lines().take(4).find_map(|line| line.split_once(what));
            line.map(|(_, rest)| rest.trim_end().trim_end_matches("*/").trim().to_owned()).unwrap_or_default()
        };
        let pair = |word: &str| {
            let (name, value) = word.split_once('=').unwrap_or_else(|| panic!("{name}: {word} is not NAME=value"));
            (name.to_owned(), value.to_owned())
        };
        Self {
            source: format!("small/{name}"),
            env: said(" with: ").split_whitespace().map(pair).collect(),
            ends: said(" ends: "),
        }
    }

    /// True if it is about tasks.
    pub fn has_tasks(&self) -> bool {
        self.source.contains("task")
    }

    /// True if it needs gfortran.
    pub fn is_fortran(&self) -> bool {
        self.source.ends_with(".f90")
    }

    /// Launches it with its own variables.
    pub fn launch(&self, forge: &Forge, program: &Path, threads: u32) -> Launch {
        self.over(Launch::of(forge, program).threads(threads))
    }

    /// Adds its own variables.
    pub fn over(&self, launch: Launch) -> Launch {
        self.env.iter().fold(launch, |launch, (name, value)| launch.env(name, value))
    }

    /// True if it ended as its text declares.
    pub fn ended_well(&self, status: ExitStatus) -> bool {
        let ended = match (status.code(), status.signal()) {
            (Some(0), _) => String::new(),
            (Some(code), _) => format!("exit {code}"),
            (_, signal) => format!("signal {}", signal.unwrap_or_default()),
        };
        ended == self.ends
    }
}

/// All small programs, in the order of their names.
///
/// # Panics
/// If the folder can't be read.
pub fn small_programs() -> Vec<Small> {
    let folder = crate_dir().join("programs/small");
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut names: Vec<_> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names.iter().map(|name| Small::read(&folder, name)).collect()
}
