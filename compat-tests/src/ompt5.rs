//! A tool of OpenMP 5 (`tools5/trace.c`) on a program, and what it has written.

use std::path::{Path, PathBuf};

use crate::forge::{Forge, Language};
use crate::run::{Launch, Outcome};

/// The tool as a library.
pub fn tool(forge: &Forge) -> PathBuf {
    forge.build(Language::C99, &["tools5/trace.c"], &["-O2", "-g", "-shared", "-fPIC"], ".so")
}

/// The program with the parts of `programs/ompt5.c` that it is to execute.
pub fn program(forge: &Forge, parts: &[&str]) -> Launch {
    parts.iter().fold(Launch::of(forge, &forge.program("ompt5.c")), |launch, part| launch.arg(part)).with_trace()
}

/// Has the tool found by its name in a variable.
pub fn named(launch: Launch, tool: &Path) -> Launch {
    launch.env("OMP_TOOL_LIBRARIES", &tool.to_string_lossy())
}

/// What the tool was told on one thread, or on all of them in the order in which it came.
#[derive(Clone, Debug)]
pub struct Told {
    lines: Vec<(String, String)>,
}

impl Told {
    /// What was told in the process that was started. Nothing, if no tool has written anything.
    pub fn of(outcome: &Outcome) -> Self {
        Self::of_process(outcome, outcome.pid)
    }

    /// What was told in one of its children.
    pub fn of_process(outcome: &Outcome, pid: u32) -> Self {
        let text = outcome.trace_of(pid).unwrap_or_default();
        let split = |line: &str| line.split_once(' ').map(|(thread, rest)| (thread.to_owned(), rest.to_owned()));
        Self { lines: text.lines().filter_map(split).collect() }
    }

    /// Everything that starts with one of these words.
    pub fn only(&self, words: &[&str]) -> Vec<&str> {
        let wanted = |line: &&str| words.iter().any(|word| line.split(' ').next() == Some(word));
        self.all().into_iter().filter(wanted).collect()
    }

    /// All callbacks, and what the tool says of its start and end, but not the answers to its registrations.
    pub fn all(&self) -> Vec<&str> {
        self.lines.iter().map(|(_, line)| line.as_str()).filter(|line| !line.starts_with("set ")).collect()
    }

    /// The answers to its registrations.
    pub fn answers(&self) -> Vec<(&str, u32)> {
        let answers = self.lines.iter().filter_map(|(_, line)| line.strip_prefix("set ")?.split_once(' '));
        answers.filter_map(|(name, answer)| Some((name, answer.parse().ok()?))).collect()
    }

    /// What was told on this thread, by the tool's name for it.
    pub fn on(&self, thread: &str) -> Vec<&str> {
        let lines = self.lines.iter().filter(|(on, line)| on == thread && !line.starts_with("set "));
        lines.map(|(_, line)| line.as_str()).collect()
    }

    /// All callbacks as shapes, sorted: without the names of threads, regions, tasks, and without addresses.
    pub fn shapes(&self) -> Vec<String> {
        let mut shapes: Vec<String> = self.all().into_iter().map(shape).collect();
        shapes.sort();
        shapes
    }
}

/// A line without what differs from run to run.
pub fn shape(line: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        let is_name = ["t", "r", "k"].contains(&first) && rest.parse::<u64>().is_ok();
        let is_address = word.len() > 6 && u64::from_str_radix(word, 16).is_ok();
        if is_name {
            first.to_owned()
        } else if is_address {
            "address".to_owned()
        } else {
            word.to_owned()
        }
    };
    line.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_neither_names_nor_addresses() {
        let line = "mutex_acquire lock hint=0 impl=4 7ffd12345678 code";
        assert_eq!(shape(line), "mutex_acquire lock hint=0 impl=4 address code");
        assert_eq!(shape("task_schedule k12 switch k3"), "task_schedule k switch k");
        assert_eq!(shape("thread_begin t1 initial"), "thread_begin t initial");
        assert_eq!(shape("sync_region taskwait begin r1 k1 -"), "sync_region taskwait begin r k -");
    }
}
