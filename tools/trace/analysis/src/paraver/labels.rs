//! Numbers of states, types and values, and the files with their names.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use rustc_hash::FxHashMap;
use terminal::printable::Shown;

use crate::{Site, Timeline};

/// States of a thread.
pub(super) mod state {
    pub(in crate::paraver) const IDLE: u32 = 0;
    pub(in crate::paraver) const RUNNING: u32 = 1;
    pub(in crate::paraver) const SYNCHRONIZATION: u32 = 5;
    pub(in crate::paraver) const FORK_JOIN: u32 = 7;
    pub(in crate::paraver) const OTHERS: u32 = 15;
}

/// Types of events, and values that aren't places.
pub(super) mod value {
    pub(in crate::paraver) const PARALLEL: u32 = 60_000_001;
    pub(in crate::paraver) const REGION: u64 = 3;
    pub(in crate::paraver) const WORK: u32 = 60_000_002;
    pub(in crate::paraver) const BARRIER: u32 = 60_000_005;
    pub(in crate::paraver) const MUTEX: u32 = 60_000_006;
    pub(in crate::paraver) const WAITING: u64 = 3;
    pub(in crate::paraver) const LOCKED: u64 = 6;
    pub(in crate::paraver) const PARALLEL_FUNCTION: u32 = 60_000_018;
    pub(in crate::paraver) const TASKWAIT: u32 = 60_000_022;
    pub(in crate::paraver) const TASK_FUNCTION: u32 = 60_000_023;
    pub(in crate::paraver) const TASK_CREATED: u32 = 60_000_024;
    pub(in crate::paraver) const TASKGROUP_END: u32 = 60_000_026;
    pub(in crate::paraver) const TASK_ID: u32 = 60_000_028;
    pub(in crate::paraver) const MUTEX_PLACE: u32 = 60_000_032;

    /// Value of a work-sharing region, by OMPT's kind.
    pub(in crate::paraver) fn work(kind: u8) -> u64 {
        match kind {
            1 | 10..=13 => 4,
            2 => 5,
            3 | 4 => 6,
            _ => 20 + u64::from(kind),
        }
    }
}

const STATES: [(u32, &str, &str); 5] = [
    (state::IDLE, "Idle", "{117,195,255}"),
    (state::RUNNING, "Running", "{0,0,255}"),
    (state::SYNCHRONIZATION, "Synchronization", "{255,0,0}"),
    (state::FORK_JOIN, "Scheduling and Fork/Join", "{255,255,0}"),
    (state::OTHERS, "Others", "{66,66,66}"),
];

/// Values with their names.
type Values = &'static [(u64, &'static str)];

/// Types whose values have names, or are plain numbers.
const TYPES: [(u32, &str, Values); 7] = [
    (
        value::PARALLEL,
        "Parallel (OMP)",
        &[(0, "close"), (1, "DO (open)"), (2, "SECTIONS (open)"), (3, "REGION (open)")],
    ),
    (
        value::WORK,
        "Worksharing (OMP)",
        &[
            (0, "End"),
            (4, "DO"),
            (5, "SECTIONS"),
            (6, "SINGLE"),
            (25, "WORKSHARE"),
            (26, "DISTRIBUTE"),
            (27, "TASKLOOP"),
            (28, "SCOPE"),
        ],
    ),
    (value::BARRIER, "OpenMP barrier", &[(0, "End"), (1, "Begin")]),
    (value::MUTEX, "OpenMP named-Lock", &[(0, "Unlocked status"), (3, "Lock"), (5, "Unlock"), (6, "Locked status")]),
    (value::TASKWAIT, "OMP taskwait", &[(0, "End"), (1, "Begin")]),
    (value::TASKGROUP_END, "OMP taskgroup end", &[(0, "End"), (1, "Begin")]),
    (value::TASK_ID, "OMP task identifier", &[]),
];

/// Types whose values are places.
const OF_PLACES: [(u32, &str); 4] = [
    (value::PARALLEL_FUNCTION, "Executed OpenMP parallel function"),
    (value::TASK_FUNCTION, "Executed OpenMP task function"),
    (value::TASK_CREATED, "Instantiated OpenMP task function"),
    (value::MUTEX_PLACE, "OpenMP named-Lock address name"),
];

/// Places in the program, by numbers from 1.
#[derive(Debug, Default)]
pub(super) struct Places {
    numbers: FxHashMap<String, u64>,
    names: Vec<String>,
}

impl Places {
    /// The number of a place, new or known.
    pub(super) fn number(&mut self, site: Option<&Site>) -> u64 {
        let name = site.map(Site::whole).filter(|name| !name.is_empty()).unwrap_or_else(|| "unknown".to_owned());
        if let Some(number) = self.numbers.get(&name) {
            return *number;
        }
        self.names.push(name.clone());
        let number = self.names.len() as u64;
        self.numbers.insert(name, number);
        number
    }
}

/// Writes the names of states, types and values.
pub(super) fn write(path: &Path, places: &Places) -> io::Result<()> {
    let mut to = BufWriter::new(File::create(path)?);
    to.write_all(b"DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\n")?;
    to.write_all(b"DEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\nSTATES\n")?;
    for (number, name, _) in STATES {
        writeln!(to, "{number}    {name}")?;
    }
    to.write_all(b"\nSTATES_COLOR\n")?;
    for (number, _, colour) in STATES {
        writeln!(to, "{number}    {colour}")?;
    }
    for (kind, name, values) in TYPES {
        write_type(&mut to, kind, name, values.iter().copied())?;
    }
    for (kind, name) in OF_PLACES {
        let places = (1..).zip(places.names.iter().map(String::as_str));
        write_type(&mut to, kind, name, [(0, "End")].into_iter().chain(places))?;
    }
    to.flush()
}

fn write_type<'n>(
    to: &mut dyn Write,
    kind: u32,
    name: &str,
    values: impl Iterator<Item = (u64, &'n str)>,
) -> io::Result<()> {
    write!(to, "\n\nEVENT_TYPE\n0    {kind}    {name}\n")?;
    for (number, (value, name)) in values.enumerate() {
        if number == 0 {
            to.write_all(b"VALUES\n")?;
        }
        // A name ends at the end of its line.
        writeln!(to, "{value}      {}", name.shown())?;
    }
    Ok(())
}

/// Writes the names of processors, machine and threads.
pub(super) fn write_rows(path: &Path, timelines: &[Timeline], cpus: u32) -> io::Result<()> {
    let mut to = BufWriter::new(File::create(path)?);
    let machine = timelines.first().and_then(|timeline| timeline.facts.host.as_deref()).unwrap_or("machine").shown();
    writeln!(to, "LEVEL CPU SIZE {cpus}")?;
    for cpu in 1..=cpus {
        writeln!(to, "{cpu}.{machine}")?;
    }
    writeln!(to, "\nLEVEL NODE SIZE 1\n{machine}\n\nLEVEL THREAD SIZE {cpus}")?;
    for (task, timeline) in (1..).zip(timelines) {
        for number in 0..timeline.threads.len() {
            writeln!(to, "THREAD 1.{task}.{} ({})", number + 1, timeline.thread_name(number))?;
        }
    }
    to.flush()
}
