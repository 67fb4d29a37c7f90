//! Tracing tool of OpenMP 5 (`tools5/trace.c`): runs, and parsed traces.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::forge::{Forge, Language};
use crate::run::{Launch, Outcome};

/// Builds the tool as a library.
pub fn tool(forge: &Forge) -> PathBuf {
    forge.build(Language::C99, &["tools5/trace.c"], &["-O2", "-g", "-shared", "-fPIC"], ".so")
}

/// Builds another copy of the tool, which appends this mark to the name of its trace.
pub fn marked_tool(forge: &Forge, mark: &str) -> PathBuf {
    let mark = format!("-DTRACE5_MARK=\"{mark}\"");
    forge.build(Language::C99, &["tools5/trace.c"], &["-O2", "-g", "-shared", "-fPIC", &mark], ".so")
}

/// Launches the program with the parts of `programs/ompt5.c` that it should execute.
pub fn program(forge: &Forge, parts: &[&str]) -> Launch {
    parts.iter().fold(Launch::of(forge, &forge.program("ompt5.c")), |launch, part| launch.arg(part)).with_trace()
}

/// Names the tool in `OMP_TOOL_LIBRARIES`.
pub fn named(launch: Launch, tool: &Path) -> Launch {
    launch.env("OMP_TOOL_LIBRARIES", &tool.to_string_lossy())
}

/// Trace of a tool: a line for each callback of any thread, in chronological order.
#[derive(Clone, Debug)]
pub struct ToolTrace {
    lines: Vec<(String, String)>,
}

impl ToolTrace {
    /// Returns the trace of the process that was started, which is empty if no tool has written anything.
    pub fn of(outcome: &Outcome) -> Self {
        Self::of_process(outcome, outcome.pid)
    }

    /// Returns the trace of one of its children.
    pub fn of_process(outcome: &Outcome, pid: u32) -> Self {
        Self::of_text(&outcome.trace_of(pid).unwrap_or_default())
    }

    /// Returns the trace of a [`marked_tool`].
    pub fn of_marked(outcome: &Outcome, mark: &str) -> Self {
        Self::of_text(&outcome.marked_trace(mark).unwrap_or_default())
    }

    fn of_text(text: &str) -> Self {
        let split = |line: &str| line.split_once(' ').map(|(thread, rest)| (thread.to_owned(), rest.to_owned()));
        Self { lines: text.lines().filter_map(split).collect() }
    }

    /// Lines that start with one of these words.
    pub fn only(&self, words: &[&str]) -> Vec<&str> {
        let wanted = |line: &&str| words.iter().any(|word| line.split(' ').next() == Some(word));
        self.all().into_iter().filter(wanted).collect()
    }

    /// All callbacks, and the lines that the tool writes at its start and end, but not the answers to its registrations.
    pub fn all(&self) -> Vec<&str> {
        self.lines.iter().map(|(_, line)| line.as_str()).filter(|line| !line.starts_with("set ")).collect()
    }

    /// Answers to the tool's registrations.
    pub fn answers(&self) -> Vec<(&str, u32)> {
        let answers = self.lines.iter().filter_map(|(_, line)| line.strip_prefix("set ")?.split_once(' '));
        answers.filter_map(|(name, answer)| Some((name, answer.parse().ok()?))).collect()
    }

    /// Lines of this thread, by the tool's name for it.
    pub fn on(&self, thread: &str) -> Vec<&str> {
        let lines = self.lines.iter().filter(|(on, line)| on == thread && !line.starts_with("set "));
        lines.map(|(_, line)| line.as_str()).collect()
    }

    /// Lines of each thread, sorted; the names of threads, regions, tasks and mutexes are numbered in order of appearance.
    pub fn by_thread(&self) -> Vec<Vec<String>> {
        let mut threads: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut names: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
        for (thread, line) in &self.lines {
            let names = names.entry(thread).or_default();
            let words = line.split(' ').map(|word| {
                let Some(kind) = kind_of(word) else { return word.to_owned() };
                let number = names.values().filter(|name| name.starts_with(kind)).count() + 1;
                names.entry(word).or_insert_with(|| format!("{kind}{number}")).clone()
            });
            let line = words.collect::<Vec<_>>().join(" ");
            threads.entry(thread).or_default().push(line);
        }
        let mut sequences: Vec<_> = threads.into_values().collect();
        sequences.sort();
        sequences
    }

    /// All callbacks as sorted shapes: without the names of threads, regions and tasks, and without addresses.
    pub fn shapes(&self) -> Vec<String> {
        let mut shapes: Vec<String> = self.all().into_iter().map(shape).collect();
        shapes.sort();
        shapes
    }
}

/// Line without the parts that differ from run to run.
pub fn shape(line: &str) -> String {
    line.split(' ').map(|word| kind_of(word).unwrap_or(word)).collect::<Vec<_>>().join(" ")
}

/// Kind of object that a word names, if any: a thread, region, task, or address.
fn kind_of(word: &str) -> Option<&'static str> {
    let is_address = word.len() > 6 && u64::from_str_radix(word, 16).is_ok();
    let is_numbered = word.get(1..).is_some_and(|number| number.parse::<u64>().is_ok());
    match word.as_bytes().first()? {
        b't' if is_numbered => Some("t"),
        b'r' if is_numbered => Some("r"),
        b'k' if is_numbered => Some("k"),
        _ => is_address.then_some("address"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_as_they_come_on_each_thread() {
        let reports = ToolTrace::of_text("t9 work r7 k5\nt4 work r7 k6\nt9 work r8 k5\n");
        assert_eq!(reports.by_thread(), [vec!["work r1 k1"], vec!["work r1 k1", "work r2 k1"]]);
    }

    #[test]
    fn a_shape_has_neither_names_nor_addresses() {
        let line = "mutex_acquire lock hint=0 impl=4 7ffd12345678 code";
        assert_eq!(shape(line), "mutex_acquire lock hint=0 impl=4 address code");
        assert_eq!(shape("task_schedule k12 switch k3"), "task_schedule k switch k");
        assert_eq!(shape("thread_begin t1 initial"), "thread_begin t initial");
        assert_eq!(shape("sync_region taskwait begin r1 k1 -"), "sync_region taskwait begin r k -");
    }
}
