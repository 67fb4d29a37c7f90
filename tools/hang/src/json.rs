//! The answer as JSON (see `docs/reference/hang-json.md`).

use anyhow::Result;
use json_document::{Document, Versioned};
use serde::Serialize;

use crate::describe::{self, Description};
use crate::model::{Frame, Part, Thread};
use crate::outcome::Outcome;

#[derive(Serialize)]
struct Body<'o> {
    pid: u32,
    command: &'o [String],
    hangs: bool,
    findings: Vec<Found<'o>>,
    pending: &'o [String],
    threads: Vec<Row>,
    limits: &'o [String],
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-hang";
    const VERSION: u32 = 1;
}

#[derive(Serialize)]
struct Found<'o> {
    kind: &'static str,
    title: &'o str,
    lines: &'o [String],
    threads: Vec<u32>,
}

#[derive(Serialize)]
struct Row {
    tid: u32,
    name: String,
    number: Option<u32>,
    asleep: bool,
    asleep_ns: Option<u64>,
    wait: String,
    holds: Vec<String>,
    stack: Vec<Place>,
    whole: bool,
    is_cut: bool,
    stopped_ns: Option<u64>,
}

#[derive(Serialize)]
struct Place {
    function: String,
    file: Option<String>,
    line: Option<u32>,
    construct: Option<String>,
    object: String,
    part: &'static str,
}

/// The document.
///
/// # Errors
/// If it can't be written, which memory can always be.
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
    fn a_thread_that_a_bound_has_cut_says_so() {
        for is_cut in [false, true] {
            let row = serde_json::to_value(row(&Thread { is_cut, ..Thread::default() })).unwrap();
            assert_eq!(row["is_cut"], is_cut);
        }
    }
}
