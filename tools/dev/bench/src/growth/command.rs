//! Commands whose costs are measured, by what they take: a program, a process, or a recording.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::dimension::{Dimension, Held, Source};
use crate::programs::{Programs, undisturbed};

/// Command that watches a program from its start.
#[derive(Debug)]
pub(super) struct Watcher {
    /// Title of its row.
    pub(super) name: &'static str,
    words: &'static [&'static str],
    /// Kind of recording that it writes for a [`Reader`].
    pub(super) recording: Option<Recording>,
}

/// Command for a process that is already running.
#[derive(Debug)]
pub(super) struct Visitor {
    pub(super) name: &'static str,
    /// Words before the process id, and after it.
    words: [&'static [&'static str]; 2],
    /// It writes a recording.
    has_output: bool,
    /// Exit codes of success.
    pub(super) codes: &'static [i32],
}

/// Command for a recording.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) name: &'static str,
    pub(super) recording: Recording,
    words: &'static [&'static str],
    /// The path of an output follows.
    has_output: bool,
}

/// Maximum number of events for formats that other programs read.
const MAX_EVENTS: u64 = 10_000_000;

/// Kind of recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recording {
    Stat,
    Profile,
    Trace,
}

pub(super) const WATCHERS: [Watcher; 7] = [
    Watcher { name: "run", words: &["run"], recording: None },
    Watcher { name: "stat", words: &["stat"], recording: None },
    Watcher { name: "stat --json", words: &["stat", "--json"], recording: Some(Recording::Stat) },
    Watcher { name: "tasks", words: &["tasks"], recording: None },
    Watcher { name: "profile", words: &["profile"], recording: Some(Recording::Profile) },
    Watcher { name: "trace", words: &["trace"], recording: Some(Recording::Trace) },
    Watcher { name: "race", words: &["race"], recording: None },
];

const fn visitor(name: &'static str, words: [&'static [&'static str]; 2], codes: &'static [i32]) -> Visitor {
    Visitor { name, words, has_output: false, codes }
}

pub(super) const VISITORS: [Visitor; 6] = [
    visitor("attach", [&["attach"], &["--seconds", "0.3"]], &[0]),
    Visitor {
        has_output: true,
        ..visitor("attach profile", [&["attach"], &["profile", "--seconds", "0.3", "-o"]], &[0])
    },
    Visitor { has_output: true, ..visitor("attach trace", [&["attach"], &["trace", "--seconds", "0.3", "-o"]], &[0]) },
    visitor("top", [&["top"], &["--count", "1", "--interval", "0.3"]], &[0]),
    // 3: a hang was found.
    visitor("hang", [&["hang"], &[]], &[0, 3]),
    // 1: something is not observable.
    visitor("doctor", [&["doctor"], &[]], &[0, 1]),
];

const fn reader(name: &'static str, recording: Recording, words: &'static [&'static str], has_output: bool) -> Reader {
    Reader { name, recording, words, has_output }
}

pub(super) const READERS: [Reader; 18] = [
    reader("report (profile)", Recording::Profile, &["report", "--no-pager"], false),
    reader("report --json (profile)", Recording::Profile, &["report", "--json"], false),
    reader("report --html (profile)", Recording::Profile, &["report", "--html"], true),
    reader("report --flame (profile)", Recording::Profile, &["report", "--flame"], true),
    reader("report --folded (profile)", Recording::Profile, &["report", "--folded"], true),
    reader("report --firefox (profile)", Recording::Profile, &["report", "--firefox"], true),
    reader("report --perfetto (profile)", Recording::Profile, &["report", "--perfetto"], true),
    reader("report --parquet (profile)", Recording::Profile, &["report", "--parquet"], true),
    reader("report (trace)", Recording::Trace, &["report", "--no-pager"], false),
    reader("report --json (trace)", Recording::Trace, &["report", "--json"], false),
    reader("report --html (trace)", Recording::Trace, &["report", "--html"], true),
    reader("report --firefox (trace)", Recording::Trace, &["report", "--firefox"], true),
    reader("report --perfetto (trace)", Recording::Trace, &["report", "--perfetto"], true),
    reader("report --otf2 (trace)", Recording::Trace, &["report", "--otf2"], true),
    reader("report --paraver (trace)", Recording::Trace, &["report", "--paraver"], true),
    reader("diff (stat)", Recording::Stat, &["diff"], false),
    reader("diff (profile)", Recording::Profile, &["diff"], false),
    reader("diff (trace)", Recording::Trace, &["diff"], false),
];

impl Watcher {
    /// Flags with which its programs are compiled.
    pub(super) fn flags(&self) -> &'static [&'static str] {
        if self.name == "race" { &["-fsanitize=thread"] } else { &[] }
    }

    /// Reason why it has no meaning in a dimension.
    pub(super) fn meaningless(&self, dimension: &Dimension) -> Option<&'static str> {
        match dimension.source {
            Source::Program(_) => None,
            Source::Events => Some("the events of programs are in the other dimensions"),
            Source::Ranks => Some("each rank has an `ora` of its own"),
        }
    }

    /// The largest size that it or its bare program bears, and why, if that is not the dimension's.
    pub(super) fn largest(&self, dimension: &Dimension) -> Option<(u64, &'static str)> {
        match (self.name, dimension.name) {
            ("race", "threads") => {
                Some((5_000, "each of ThreadSanitizer's threads takes 8 of a process's 65,530 mappings"))
            }
            ("race", "stack") => Some((50_000, "ThreadSanitizer's call stacks have 65,536 functions")),
            ("race", "depth") => {
                Some((30_000, "ThreadSanitizer's call stacks have 65,536 functions, and a task is two"))
            }
            _ => None,
        }
    }

    /// Command that runs a program and writes to `folder`.
    pub(super) fn command(&self, programs: &Programs, folder: &Path, program: &Path) -> Result<Command> {
        let mut command = Command::new(programs.ora()?);
        command.args(self.words);
        match self.name {
            "run" => command.arg("--collector").arg(&programs.collector),
            _ => command.arg("-o").arg(folder),
        };
        command.args([OsStr::new("--"), program.as_os_str()]).env("BENCH_MODE", "tracking");
        Ok(command)
    }
}

impl Visitor {
    /// Reason why it has no meaning in a dimension.
    pub(super) fn meaningless(&self, dimension: &Dimension) -> Option<&'static str> {
        match dimension.source {
            Source::Program(Held::Never) => Some("it watches one process"),
            Source::Program(_) => None,
            Source::Events | Source::Ranks => Some("it takes a process, not a recording"),
        }
    }

    /// Command that examines a process, and writes to `output` if it must.
    pub(super) fn command(&self, programs: &Programs, process: u32, output: &Path) -> Result<Command> {
        let [before, after] = self.words;
        let mut command = Command::new(programs.ora()?);
        command.args(before).arg(process.to_string()).args(after);
        if self.has_output {
            command.arg(output);
        }
        undisturbed(&mut command);
        Ok(command)
    }
}

impl Reader {
    /// Reason why it has no meaning in a dimension.
    pub(super) fn meaningless(&self, dimension: &Dimension) -> Option<&'static str> {
        match dimension.source {
            Source::Events if self.recording == Recording::Stat => Some("it has sums, not events"),
            Source::Ranks if self.recording == Recording::Stat => Some("each rank has a file of its own"),
            _ => None,
        }
    }

    /// Reason why it is not tried with a size.
    pub(super) fn too_large(&self, dimension: &Dimension, size: u64) -> Option<&'static str> {
        let is_text = matches!(self.words, ["report", "--no-pager" | "--json"]);
        (dimension.source == Source::Events && size > MAX_EVENTS && !is_text).then_some("only text and JSON")
    }

    /// Command that reads `folder`, and writes to `output` if it must.
    pub(super) fn command(&self, programs: &Programs, folder: &Path, output: &Path) -> Result<Command> {
        let mut command = Command::new(programs.ora()?);
        command.args(self.words);
        if self.has_output {
            command.arg(output);
        }
        command.arg(folder);
        if self.words.contains(&"diff") {
            command.arg(folder);
        }
        undisturbed(&mut command);
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growth::dimension;

    #[test]
    fn every_reader_has_a_recorder() {
        for reader in READERS {
            assert!(WATCHERS.iter().any(|watcher| watcher.recording == Some(reader.recording)), "{}", reader.name);
        }
    }

    #[test]
    fn every_dimension_has_a_command_of_each_kind_or_none_with_a_reason() {
        for dimension in dimension::ALL {
            let is_program = matches!(dimension.source, Source::Program(_));
            assert!(WATCHERS.iter().all(|it| it.meaningless(&dimension).is_none() == is_program));
            assert!(READERS.iter().any(|it| it.meaningless(&dimension).is_none()));
            assert!(!is_program || READERS.iter().all(|it| it.meaningless(&dimension).is_none()));
        }
    }
}
