//! A file for the Firefox Profiler (<https://profiler.firefox.com>): threads over time, call trees, flame graphs.
//!
//! The format is its "processed profile", version 58; what it means is said in its sources, `src/types/profile.ts` and
//! `docs-developer/CHANGELOG-formats.md`. Newer profilers read older versions.

mod table;

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::Weighted;
use table::{Shared, Tables};

/// Of the format. With a newer one other fields are asked for.
const VERSION: u32 = 58;

/// What is told beside the stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The program's name.
    pub program: String,
    /// Its command line; empty: unknown.
    pub command: String,
    /// When time 0 was, in milliseconds since 1970.
    pub began_real_ms: u64,
    /// Time 0, by CLOCK_MONOTONIC.
    pub began_ns: u64,
    /// Samples of a thread in a second that were asked for.
    pub rate: u64,
    /// [`Weighted::process`] is an index of them.
    pub processes: Vec<Process>,
}

/// A process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// For humans, with its rank where it has one.
    pub name: String,
    /// The system's number of it.
    pub pid: u32,
    /// [`Weighted::thread`] is an index of them.
    pub threads: Vec<Thread>,
}

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// For humans.
    pub name: String,
    /// The system's number of it.
    pub tid: u32,
    /// By CLOCK_MONOTONIC.
    pub begun_ns: u64,
    /// By CLOCK_MONOTONIC; `None`: unknown.
    pub ended_ns: Option<u64>,
}

/// The categories, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Category {
    Other = 0,
    Work = 1,
    Wait = 2,
}

/// A time with a stack.
struct Spent<'a> {
    begun_ns: u64,
    stack: Weighted<'a>,
}

/// Writes the file.
///
/// # Errors
/// Those of `out`.
pub fn write<'a>(
    out: &mut impl Write,
    recording: &Recording,
    stacks: impl IntoIterator<Item = Weighted<'a>>,
) -> io::Result<()> {
    let mut by_thread: BTreeMap<(usize, usize), Vec<Spent>> = BTreeMap::new();
    for stack in stacks {
        let begun_ns = stack.at_ns.saturating_sub(stack.wall_ns);
        by_thread.entry((stack.process, stack.thread)).or_default().push(Spent { begun_ns, stack });
    }
    let mut shared = Shared::default();
    let mut threads = Vec::new();
    // A process or thread number that stands twice, on two machines, is told apart.
    let mut pids = Unique::default();
    for (number, process) in recording.processes.iter().enumerate() {
        let pid = pids.of(process.pid);
        let mut tids = Unique::default();
        for (index, thread) in process.threads.iter().enumerate() {
            let mut spent = by_thread.remove(&(number, index)).unwrap_or_default();
            spent.sort_by_key(|spent| spent.begun_ns);
            let tid = tids.of(thread.tid);
            let who = (process, pid.as_str(), thread, tid.as_str());
            threads.push(written(recording, who, index == 0, &spent, &mut shared));
        }
    }
    let categories = [("Other", "grey"), ("OpenMP Work", "green"), ("OpenMP Wait", "blue")];
    let categories = categories.map(|(name, color)| json!({"name": name, "color": color, "subcategories": ["Other"]}));
    let profile = json!({
        "meta": {
            "interval": 1000.0 / recording.rate.max(1) as f64,
            "startTime": recording.began_real_ms,
            "processType": 0,
            "categories": categories,
            "product": recording.program,
            "arguments": recording.command,
            "importedFrom": "ora profile",
            "stackwalk": 1,
            "version": 31,
            "preprocessedProfileVersion": VERSION,
            "symbolicated": true,
            "symbolicationNotSupported": true,
            "usesOnlyOneStackType": true,
            "sourceCodeIsNotOnSearchfox": true,
            "keepProfileThreadOrder": true,
            "platform": "Linux",
            "oscpu": "Linux x86_64",
            "markerSchema": [],
            "sampleUnits": {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"},
            "extensions": {"baseURL": [], "id": [], "name": [], "length": 0},
        },
        "libs": [],
        "shared": shared.written(),
        "threads": threads,
    });
    serde_json::to_writer(&mut *out, &profile)?;
    out.flush()
}

type Who<'a> = (&'a Process, &'a str, &'a Thread, &'a str);

fn written(recording: &Recording, who: Who, is_main: bool, spent: &[Spent], shared: &mut Shared) -> Value {
    let (process, pid, thread, tid) = who;
    let ms = |ns: u64| ns.saturating_sub(recording.began_ns) as f64 / 1e6;
    let mut tables = Tables::default();
    let (mut stacks, mut times, mut weights, mut deltas) = (Vec::new(), Vec::new(), Vec::new(), vec![0]);
    for spent in spent {
        stacks.push(tables.stack(shared, &spent.stack));
        times.push(ms(spent.begun_ns));
        weights.push(spent.stack.wall_ns as f64 / 1e6);
        // CPU time is told with the end of the time that it was spent in: the begin of the next.
        deltas.push(spent.stack.cpu_ns);
    }
    if let Some(last) = spent.last() {
        stacks.push(None);
        times.push(ms(last.stack.at_ns));
        weights.push(0.0);
    } else {
        deltas.clear();
    }
    let begun = process.threads.iter().map(|thread| thread.begun_ns).min().unwrap_or(0);
    let mut written = json!({
        "processType": "default",
        "processName": process.name,
        "processStartupTime": ms(begun),
        "processShutdownTime": null,
        "registerTime": ms(thread.begun_ns),
        "unregisterTime": thread.ended_ns.map(ms),
        "pausedRanges": [],
        "name": thread.name,
        "isMainThread": is_main,
        "pid": pid,
        "tid": tid,
        "samples": {
            "stack": stacks,
            "time": times,
            "weight": weights,
            "weightType": "tracing-ms",
            "threadCPUDelta": deltas,
            "length": stacks.len(),
        },
        "markers": {
            "data": [], "name": [], "startTime": [], "endTime": [], "phase": [], "category": [], "length": 0,
        },
    });
    if let (Value::Object(written), Value::Object(tables)) = (&mut written, tables.written()) {
        written.extend(tables);
    }
    written
}

/// Numbers in decimal, each of them once.
#[derive(Debug, Default)]
struct Unique(BTreeMap<u32, u32>);

impl Unique {
    fn of(&mut self, number: u32) -> String {
        let count = self.0.entry(number).or_default();
        *count += 1;
        if *count == 1 { number.to_string() } else { format!("{number}.{count}") }
    }
}

impl Category {
    /// Of the function that a thread was in; those that called it work.
    fn of(stack: &Weighted) -> Self {
        match stack {
            Weighted { waits: true, .. } => Self::Wait,
            Weighted { state: "", .. } => Self::Other,
            _ => Self::Work,
        }
    }
}
