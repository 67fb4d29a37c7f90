//! The answer as JSON (see `docs/reference/hang-json.md`).

use anyhow::Result;
use json_document::{Document, Versioned};
use serde::Serialize;

use crate::describe::{self, Description};
use crate::model::{Frame, Part, Thread};
use crate::outcome::Outcome;

/// Threads of a process that wait for each other.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Body<'o> {
    /// Number of the process.
    pid: u32,
    /// Its command line, a list of words.
    command: &'o [String],
    /// True if there are findings.
    hangs: bool,
    /// The reasons.
    findings: Vec<Found<'o>>,
    /// Waits for something that is under way, in sentences: no hang.
    pending: &'o [String],
    /// All threads.
    threads: Vec<Row>,
    /// What could not be known, in sentences.
    limits: &'o [String],
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-hang";
    const VERSION: u32 = 1;
}

/// A finding.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Found<'o> {
    /// A word of the table below.
    kind: &'static str,
    /// One line for people.
    title: &'o str,
    /// A line for each thread that has a part in it: what it waits for, where, and who has it.
    lines: &'o [String],
    /// The numbers of these threads in the system (`tid`). In a circle each waits for the next one.
    threads: Vec<u32>,
}

/// A thread.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Row {
    /// Its number in the system.
    tid: u32,
    /// Its name in the system.
    name: String,
    /// Its number in its innermost team.
    number: Option<u32>,
    /// True if it is blocked in the kernel.
    asleep: bool,
    /// Time for which it has been asleep.
    asleep_ns: Option<u64>,
    /// Its work or its wait, for people.
    wait: String,
    /// Locks that it will release, by its code.
    holds: Vec<String>,
    /// Its functions, the innermost first.
    stack: Vec<Place>,
    /// True if the stack goes down to the thread's first function.
    whole: bool,
    /// True if its registers, or a part of its code, were not looked at, since the bounds of all looks in time
    /// and instructions were reached: what it holds is not known.
    is_cut: bool,
    /// Time for which it was stopped to read its registers; `null`: it was not stopped.
    stopped_ns: Option<u64>,
}

/// A function on the stack.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Place {
    /// Its name, or its address.
    function: String,
    /// Its source file.
    file: Option<String>,
    /// The line.
    line: Option<u32>,
    /// The construct that it is the body of.
    construct: Option<String>,
    /// Its object file.
    object: String,
    /// `"program"`, `"runtime"`, `"ora"` or `"system"`.
    part: &'static str,
}

/// The document.
///
/// # Errors
/// If it can't be written, which does not happen in memory.
pub fn document(outcome: &Outcome) -> Result<String> {
    let body = Body {
        pid: outcome.pid,
        command: &outcome.command,
        hangs: outcome.hangs(),
        findings: outcome.findings.iter().map(|it| found(outcome, it)).collect(),
        pending: &outcome.pending,
        threads: outcome.look.threads.iter().map(row).collect(),
        limits: &outcome.limits,
    };
    Ok(Document::of(body).text()?)
}

fn found<'o>(outcome: &'o Outcome, it: &'o Description) -> Found<'o> {
    let tid = |number: &usize| Some(outcome.look.threads.get(*number)?.tid);
    Found { kind: it.kind, title: &it.title, lines: &it.lines, threads: it.threads.iter().filter_map(tid).collect() }
}

fn row(thread: &Thread) -> Row {
    let ns = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    Row {
        tid: thread.tid,
        name: thread.name.clone(),
        number: thread.number(),
        asleep: thread.asleep,
        asleep_ns: thread.asleep_for.map(ns),
        wait: describe::wait(thread),
        holds: thread.holds.iter().map(|held| describe::resource(&held.resource)).collect(),
        stack: thread.stack.iter().flat_map(places).collect(),
        whole: thread.whole,
        is_cut: thread.is_cut,
        stopped_ns: thread.stopped.map(ns),
    }
}

fn places(frame: &Frame) -> Vec<Place> {
    let part = match frame.part {
        Part::Program => "program",
        Part::Runtime => "runtime",
        Part::Interface => "ora",
        Part::System => "system",
    };
    if frame.names.is_empty() {
        let function = frame.export.clone().unwrap_or_else(|| format!("{:#x}", frame.address));
        return vec![Place { function, file: None, line: None, construct: None, object: frame.object.clone(), part }];
    }
    let place = |name: &symbols::Name| Place {
        function: name.function.clone(),
        file: name.file.clone(),
        line: Some(name.line).filter(|line| *line > 0),
        construct: describe::body(name),
        object: frame.object.clone(),
        part,
    };
    frame.names.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Body<'_>>("hang-json.md");
    }

    #[test]
    fn a_thread_that_a_bound_has_cut_says_so() {
        for is_cut in [false, true] {
            let row = serde_json::to_value(row(&Thread { is_cut, ..Thread::default() })).unwrap();
            assert_eq!(row["is_cut"], is_cut);
        }
    }
}
