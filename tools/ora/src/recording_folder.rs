//! Folder of a profile or a trace, which contains a folder for each process.
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "the user of `ora` has named them on the command line")
)]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use untrusted::own_folder::OwnFolder;

use crate::output::say;
use crate::{launcher, output_name};
use terminal::printable::Shown;

/// Kind of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recording {
    /// Recorded by `ora profile`.
    Profile,
    /// Recorded by `ora trace`.
    Trace,
}

impl Recording {
    /// Kind of the recording in a folder: the processes of a trace have events.
    fn of(folder: &Path) -> Self {
        let processes = names(folder).into_iter().map(|name| folder.join(name));
        if processes.into_iter().any(|process| trace_analysis::is_trace(&process)) {
            Self::Trace
        } else {
            Self::Profile
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Trace => "trace",
        }
    }

    /// Name of the first folder without `-o`, and of later ones.
    fn usual(self, number: u32) -> PathBuf {
        let first = format!("ora-{}", self.noun());
        PathBuf::from(if number == 1 { first } else { format!("{first}.{number}") })
    }
}

/// Folder of a recording, and the part of its content that belongs to this run.
#[derive(Debug)]
pub(crate) struct RecordingFolder {
    folder: PathBuf,
    /// Path of the folder as the user typed it.
    shown: PathBuf,
    /// Prefix of a process's folder name.
    prefix: String,
    before: BTreeSet<OsString>,
    made: bool,
    /// The open folder: others may replace its name if they may write to the parent folder.
    opened: OwnFolder,
}

impl RecordingFolder {
    /// Opens the folder that the user has named, or creates a new one.
    ///
    /// # Errors
    /// If it contains a recording, or can't be created.
    pub(crate) fn choose(named: Option<&Path>, kind: Recording) -> Result<Self> {
        let prefix = launcher::rank().map(|rank| format!("rank-{rank}.")).unwrap_or_default();
        let Some(named) = named else {
            let number = (1..).find(|number| !taken_usual(&kind.usual(*number), &prefix)).unwrap_or(1);
            if number > 1 {
                let (first, this) = (kind.usual(1), kind.usual(number));
                say(format_args!("{} has a {}, this one goes to {}", first.shown(), kind.noun(), this.shown()));
            }
            return Self::at(kind.usual(number), prefix, OwnFolder::usual);
        };
        let named = output_name::expand(named);
        if fs::metadata(&named).is_ok_and(|about| !about.is_dir()) {
            bail!(
                "{} is a file, and a {} is a folder: name one with -o that does not exist yet",
                typed(&named),
                kind.noun()
            );
        }
        if taken(&named, &prefix) {
            let name = typed(&named);
            let there = Recording::of(&named).noun();
            bail!("{name} has a {there} already: `ora report {name}` shows it. Name another folder with -o");
        }
        Self::at(named, prefix, OwnFolder::named)
    }

    fn at(shown: PathBuf, prefix: String, open: impl Fn(&Path) -> io::Result<OwnFolder>) -> Result<Self> {
        let made = !shown.exists();
        let opened = make(&shown).and_then(|()| Ok((open(&shown)?, shown.canonicalize()?)));
        let (opened, folder) = opened.with_context(|| format!("cannot create the folder {}", shown.shown()))?;
        let before = names(&folder).into_iter().collect();
        Ok(Self { folder, shown, prefix, before, made, opened })
    }

    /// The open folder.
    pub(crate) fn opened(&self) -> &OwnFolder {
        &self.opened
    }

    /// Full path of the folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Path of the folder as a user would type it in a shell.
    pub(crate) fn shown(&self) -> String {
        typed(&self.shown)
    }

    /// Folders of this run's processes.
    pub(crate) fn processes(&self) -> Vec<PathBuf> {
        let mut found = names(&self.folder);
        found.retain(|name| !self.before.contains(name) && self.is_ours(name));
        found.sort();
        found.into_iter().map(|name| self.folder.join(name)).collect()
    }

    /// True for a process of this rank; other ranks report their own.
    fn is_ours(&self, name: &OsString) -> bool {
        let name = name.to_string_lossy();
        is_process(&name) && name.starts_with(&self.prefix)
    }

    /// Removes everything that this run has created, as nothing was recorded.
    pub(crate) fn remove(&self) {
        for name in self.processes().iter().filter_map(|process| process.file_name()) {
            let _ = self.opened.remove(name);
        }
        self.leave();
    }

    /// Removes the folder that this run has created, as the program didn't start.
    pub(crate) fn leave(&self) {
        if self.made {
            // Fails if another rank uses it.
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

/// Creates a folder and its parents. Others may not write there, with any umask, because processes open files in it by name.
fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o775).create(folder)
}

fn names(folder: &Path) -> Vec<OsString> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}

/// True if a default folder can't be used: it contains a recording, or somebody else may have created it.
fn taken_usual(folder: &Path, prefix: &str) -> bool {
    match OwnFolder::usual(folder) {
        Err(error) => error.kind() != ErrorKind::NotFound,
        Ok(_) => taken(folder, prefix),
    }
}

/// True if a recording would be mixed with another one. Ranks of one launcher share a folder.
fn taken(folder: &Path, prefix: &str) -> bool {
    match fs::symlink_metadata(folder) {
        Err(error) => error.kind() != ErrorKind::NotFound,
        Ok(about) if !about.is_dir() && !folder.is_dir() => true,
        Ok(_) => names(folder).iter().any(|name| {
            let name = name.to_string_lossy();
            is_process(&name) && (prefix.is_empty() || name.starts_with(prefix) || !name.starts_with("rank-"))
        }),
    }
}

/// Path as typed in a shell: plain, or in quotes.
fn typed(path: &Path) -> String {
    let text = path.shown().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,@%:=".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// True if a folder with this name belongs to a process.
pub(crate) fn is_process(name: &str) -> bool {
    let rest = name.strip_prefix("rank-").and_then(|rest| rest.split_once('.')).map_or(name, |(_, rest)| rest);
    rest.starts_with("pid-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_folders_name() {
        for name in ["pid-1", "pid-12.2", "rank-0.pid-77", "rank-12.pid-7.3"] {
            assert!(is_process(name), "{name}");
        }
        for name in ["", "rank-0", "records", "rank-0.x", "xpid-1"] {
            assert!(!is_process(name), "{name}");
        }
    }
}
