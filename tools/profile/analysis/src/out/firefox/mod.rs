//! Writer of a file for the Firefox Profiler (<https://profiler.firefox.com>): threads over time, call trees, flame
//! graphs.
//!
//! The format is its "processed profile", version 58; its sources describe it, `src/types/profile.ts` and
//! `docs-developer/CHANGELOG-formats.md`. Newer profilers read older versions.

mod markers;
mod samples;
mod table;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Weighted;
use markers::Markers;
use samples::{Samples, begin};
use table::{Shared, Tables};

/// Version of the format. Newer versions require other fields.
const VERSION: u32 = 58;

/// Description of a recording: everything except the stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Name of the program.
    pub program: String,
    /// Command line of the program; empty: unknown.
    pub command: String,
    /// Time 0, in milliseconds since 1970.
    pub began_real_ms: u64,
    /// Time 0, by CLOCK_MONOTONIC.
    pub began_ns: u64,
    /// Requested number of samples of a thread a second.
    pub rate: u64,
    /// Command that has recorded it.
    pub recorder: &'static str,
    /// The processes, indexed by [`Weighted::process`].
    pub processes: Vec<ProcessTrack>,
}

/// A process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessTrack {
    /// Name for people, with the rank if there is one.
    pub name: String,
    /// Process id.
    pub pid: u32,
    /// The threads, indexed by [`Weighted::thread`].
    pub threads: Vec<ThreadTrack>,
}

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadTrack {
    /// Name for people.
    pub name: String,
    /// Thread id.
    pub tid: u32,
    /// Start of the thread by CLOCK_MONOTONIC.
    pub begun_ns: u64,
    /// End of the thread by CLOCK_MONOTONIC; `None`: unknown.
    pub ended_ns: Option<u64>,
    /// Parts of its time, ordered by their starts.
    pub markers: Vec<Marker>,
}

/// An activity of a thread that took some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marker {
    /// Name of a row of such activities.
    pub name: Rc<str>,
    /// Place in the program; empty: unknown.
    pub place: Rc<str>,
    /// Start by CLOCK_MONOTONIC.
    pub begin_ns: u64,
    /// End by CLOCK_MONOTONIC.
    pub end_ns: u64,
    /// True for a wait.
    pub waits: bool,
}

/// Categories of samples, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Category {
    Other = 0,
    Work = 1,
    Wait = 2,
}

/// A thread in the file.
#[derive(Serialize)]
struct Written<'m> {
    samples: Samples,
    markers: Markers<'m>,
    /// All fields that are short.
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Serialize)]
struct Profile<'m> {
    meta: Value,
    libs: [(); 0],
    threads: Vec<Written<'m>>,
    shared: Value,
}

/// Writes the file. Stacks of threads that are not in the recording are left out.
///
/// # Errors
/// As for `out`.
pub fn write<'a>(
    out: &mut impl Write,
    recording: &Recording,
    stacks: impl IntoIterator<Item = Weighted<'a>>,
) -> io::Result<()> {
    let mut by_thread: BTreeMap<(usize, usize), Vec<Weighted>> = BTreeMap::new();
    for stack in stacks {
        by_thread.entry((stack.process, stack.thread)).or_default().push(stack);
    }
    let mut shared = Shared::default();
    let mut threads = Vec::new();
    // A process or thread number that occurs twice, on two machines, gets a suffix.
    let mut pids = Unique::default();
    for (number, process) in recording.processes.iter().enumerate() {
        let pid = pids.of(process.pid);
        let begun_ns = process.threads.iter().map(|thread| thread.begun_ns).min().unwrap_or(0);
        let mut tids = Unique::default();
        for (index, thread) in process.threads.iter().enumerate() {
            let mut stacks = by_thread.remove(&(number, index)).unwrap_or_default();
            stacks.sort_by_key(begin);
            let mut tables = Tables::default();
            let samples = Samples::new(recording.began_ns, &stacks, &mut tables, &mut shared);
            let mut others = tables.written();
            others.extend(described(recording, process, begun_ns, thread));
            let own = [("pid", json!(pid)), ("tid", json!(tids.of(thread.tid))), ("isMainThread", json!(index == 0))];
            others.extend(own.map(|(key, value)| (key.to_owned(), value)));
            let markers = Markers::new(recording.began_ns, &thread.markers, &mut shared);
            threads.push(Written { samples, markers, others });
        }
    }
    let profile = Profile { meta: meta(recording), libs: [], threads, shared: shared.written() };
    serde_json::to_writer(&mut *out, &profile)?;
    out.flush()
}

fn meta(recording: &Recording) -> Value {
    let categories = [("Other", "grey"), ("OpenMP Work", "green"), ("OpenMP Wait", "blue")];
    let categories = categories.map(|(name, color)| json!({"name": name, "color": color, "subcategories": ["Other"]}));
    json!({
        "interval": 1000.0 / recording.rate.max(1) as f64,
        "startTime": recording.began_real_ms,
        "processType": 0,
        "categories": categories,
        "product": recording.program,
        "arguments": recording.command,
        "importedFrom": recording.recorder,
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
        "markerSchema": markers::schema(),
        "sampleUnits": {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"},
        "extensions": {"baseURL": [], "id": [], "name": [], "length": 0},
    })
}

/// Fields of a thread beside its samples and numbers. `begun_ns`: start of its process.
fn described(recording: &Recording, process: &ProcessTrack, begun_ns: u64, thread: &ThreadTrack) -> Map<String, Value> {
    let ms = |ns: u64| ns.saturating_sub(recording.began_ns) as f64 / 1e6;
    object(json!({
        "processType": "default",
        "processName": process.name,
        "processStartupTime": ms(begun_ns),
        "processShutdownTime": null,
        "registerTime": ms(thread.begun_ns),
        "unregisterTime": thread.ended_ns.map(ms),
        "pausedRanges": [],
        "name": thread.name,
    }))
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(object) = value { object } else { Map::new() }
}

/// Makes numbers unique, as decimal text.
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
    /// Category of the function that a thread was in; its callers count as work.
    fn of(stack: &Weighted) -> Self {
        match stack {
            Weighted { waits: true, .. } => Self::Wait,
            Weighted { state: "", .. } => Self::Other,
            _ => Self::Work,
        }
    }
}
