//! The records of a trace: states, events, and links from one thread to another.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::labels::{Places, state, value};
use crate::flow::{Flow, Kind};
use crate::kinds::{DEPENDENCES, TASKGROUP, TASKWAIT, is_barrier};
use crate::steps::{self, Step};
use crate::{Slice, Timeline, What};

/// A thread's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Processor, from 1.
    pub(super) cpu: u32,
    /// Process, from 1.
    pub(super) task: u32,
    /// Thread, from 0.
    pub(super) number: u32,
}

impl Row {
    /// The row of a thread whose process comes after others with `cpus_before` processors.
    pub(super) fn of(cpus_before: u32, task: u32, number: u32) -> Self {
        Self { cpu: cpus_before + number + 1, task, number }
    }
}

/// A line. Times are by CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Record {
    State { row: Row, begin_ns: u64, end_ns: u64, state: u32 },
    Event { row: Row, at_ns: u64, kind: u32, value: u64 },
    Flow { from: Row, from_ns: u64, to: Row, to_ns: u64, tag: u32 },
}

impl Record {
    /// Time by which records are sorted.
    pub(super) fn at_ns(&self) -> u64 {
        match self {
            Self::State { begin_ns, .. } => *begin_ns,
            Self::Event { at_ns, .. } => *at_ns,
            Self::Flow { from_ns, .. } => *from_ns,
        }
    }

    /// Writes the line.
    pub(super) fn write(&self, to: &mut dyn Write, zero_ns: u64) -> io::Result<()> {
        let at = |ns: u64| ns.saturating_sub(zero_ns);
        let place = |row: &Row| format!("{}:1:{}:{}", row.cpu, row.task, row.number + 1);
        match self {
            Self::State { row, begin_ns, end_ns, state } => {
                writeln!(to, "1:{}:{}:{}:{state}", place(row), at(*begin_ns), at(*end_ns))
            }
            Self::Event { row, at_ns, kind, value } => writeln!(to, "2:{}:{}:{kind}:{value}", place(row), at(*at_ns)),
            // Logical and physical times are the same; no message is sent.
            Self::Flow { from, from_ns, to: reached, to_ns, tag } => {
                let (sent, got) = (at(*from_ns), at(*to_ns));
                writeln!(to, "3:{}:{sent}:{sent}:{}:{got}:{got}:0:{tag}", place(from), place(reached))
            }
        }
    }
}

/// Adds the states and events of a thread.
///
/// `created`: the tasks that it has created, by their indices.
pub(super) fn of_thread(
    timeline: &Timeline,
    row: Row,
    created: Vec<usize>,
    places: &mut Places,
    records: &mut Vec<Record>,
) {
    let Some(thread) = timeline.threads.get(row.number as usize) else { return };
    let base = if thread.kind == 2 { state::IDLE } else { state::RUNNING };
    let mut now = (thread.begin_ns.max(timeline.begin_ns), base);
    let mut open: Vec<u32> = Vec::new();
    let mut around = Around::default();
    for (at_ns, step) in steps::of_thread(timeline, row.number, created) {
        let slice = |number| timeline.slice(row.number, number);
        match step {
            Step::Begin(number) => {
                open.push(number);
                for (kind, value) in
                    slice(number).into_iter().flat_map(|slice| values(timeline, slice, places)).flatten()
                {
                    around.begin(kind, value);
                    records.push(Record::Event { row, at_ns, kind, value });
                }
            }
            Step::End(number) => {
                open.pop();
                for (kind, _) in slice(number).into_iter().flat_map(|slice| values(timeline, slice, places)).flatten() {
                    records.push(Record::Event { row, at_ns, kind, value: around.end(kind) });
                }
            }
            Step::Create(task) => {
                let code = timeline.tasks.get(task).map_or(0, |task| task.code);
                let place = places.number(timeline.sites.get(code));
                records.push(Record::Event { row, at_ns, kind: value::TASK_CREATED, value: place });
                records.push(Record::Event { row, at_ns, kind: value::TASK_CREATED, value: 0 });
            }
        }
        let then = open.last().and_then(|number| slice(*number)).map_or(base, state_in);
        if then != now.1 {
            records.push(Record::State { row, begin_ns: now.0, end_ns: at_ns.max(now.0), state: now.1 });
            now = (at_ns.max(now.0), then);
        }
    }
    let end_ns = thread.end_ns.max(now.0);
    records.push(Record::State { row, begin_ns: now.0, end_ns, state: now.1 });
}

fn state_in(slice: &Slice) -> u32 {
    match slice.what {
        What::Wait(_) | What::MutexWait(_) => state::SYNCHRONIZATION,
        What::Region => state::FORK_JOIN,
        What::Recorder => state::OTHERS,
        What::Implicit | What::Before | What::Task | What::Group | What::Mutex(_) | What::Work(_) | What::Masked => {
            state::RUNNING
        }
    }
}

/// Types of a slice's events, and their values during the slice.
fn values(timeline: &Timeline, slice: &Slice, places: &mut Places) -> [Option<(u32, u64)>; 2] {
    let mut place = || places.number(timeline.site(slice));
    match slice.what {
        What::Region | What::Before => [Some((value::PARALLEL, value::REGION)), None],
        What::Implicit => [Some((value::PARALLEL_FUNCTION, place())), None],
        What::Task => [Some((value::TASK_FUNCTION, place())), Some((value::TASK_ID, slice.id))],
        What::Wait(kind) if is_barrier(kind) => [Some((value::BARRIER, 1)), None],
        What::Wait(TASKWAIT | DEPENDENCES) => [Some((value::TASKWAIT, 1)), None],
        What::Wait(TASKGROUP) => [Some((value::TASKGROUP_END, 1)), None],
        What::MutexWait(_) => [Some((value::MUTEX, value::WAITING)), None],
        What::Mutex(_) => [Some((value::MUTEX, value::LOCKED)), Some((value::MUTEX_PLACE, place()))],
        What::Work(kind) => [Some((value::WORK, value::work(kind))), None],
        What::Wait(_) | What::Group | What::Masked | What::Recorder => [None, None],
    }
}

/// Values of the open slices by type, the innermost last.
#[derive(Default)]
struct Around(FxHashMap<u32, Vec<u64>>);

impl Around {
    fn begin(&mut self, kind: u32, value: u64) {
        self.0.entry(kind).or_default().push(value);
    }

    /// The value of the next enclosing slice that has this type, at the end of the innermost one; 0 if there is none.
    fn end(&mut self, kind: u32) -> u64 {
        let open = self.0.entry(kind).or_default();
        open.pop();
        open.last().copied().unwrap_or(0)
    }
}

/// A flow from one thread to another, as a communication.
pub(super) fn of_flow(timeline: &Timeline, flow: &Flow, task: u32, cpus: u32) -> Option<Record> {
    let slice = timeline.slice(flow.to.0, flow.to.1)?;
    let row = |number| Row::of(cpus, task, number);
    let tag = match flow.kind {
        Kind::Creation => 1,
        Kind::Dependence => 2,
        Kind::Mutex => 3,
    };
    Some(Record::Flow { from: row(flow.from.0), from_ns: flow.from_ns, to: row(flow.to.0), to_ns: slice.begin_ns, tag })
}
