//! Processes and threads of a profile.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ::advice::RuntimeKind;
use profile_format::{Cut, Sample};

use super::RuntimeUse;
use super::runtimes::Runtimes;
use crate::input::{Facts, Kind, Pieces, Process, Thread};
use crate::job::MpiTime;
use crate::state::State;
use terminal::printable::Shown;

/// A process, without its samples.
#[derive(Clone, Debug, Default)]
pub struct ProcessFacts {
    /// Folder of its records.
    pub folder: PathBuf,
    /// Facts about the process.
    pub facts: Facts,
    /// Start of the process, by CLOCK_REALTIME where that is known.
    pub begun_ns: u64,
    /// End of the process, as far as the records show it.
    pub ended_ns: u64,
    /// True if it ended by itself; else it was killed, or is still running.
    pub ended: bool,
    /// Number of words in the file that belong to no record.
    pub damaged: usize,
    /// Number of samples in a region that the file doesn't have, or not with all its enclosing regions.
    pub without_region: u64,
    /// Number of samples whose stacks lack frames, for each reason, `Cut::Deep` first.
    pub cut: [u64; 4],
    /// True if CPython ran in it, and none of its Python functions is known.
    pub unnamed_python: bool,
    /// True if an OpenMP runtime is linked into the program, where its events can't be seen.
    pub has_linked_runtime: bool,
    /// The OpenMP runtimes with activity, those with the most time in regions first.
    pub runtimes_used: Vec<RuntimeUse>,
    /// Kind of the runtime with the most time in regions.
    pub runtime_kind: RuntimeKind,
    /// Largest number of a region: at least this number of regions were started, since they are counted from 1.
    pub last_region: u64,
    /// Time in MPI; `None`: no library of MPI is loaded.
    pub mpi: Option<MpiTime>,
    /// True if it is the launcher of a job's ranks, or one of the launcher's processes: its time is in no sum.
    pub is_launcher: bool,
}

/// A thread, without its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadFacts {
    /// Index in the profile's processes.
    pub process: u32,
    /// Number of the thread in the process.
    pub number: u32,
    /// The kernel's thread id; 0: not known.
    pub tid: u32,
    /// Time at which the profiler first saw it.
    pub begun_ns: u64,
    /// Time of its end, if it was seen.
    pub ended_ns: Option<u64>,
    /// Number of signals that its timer should have sent, if its end was seen.
    pub asked: Option<u64>,
    /// Number of signals that came.
    pub delivered: u64,
    /// Number of samples that could not be stored.
    pub lost: u64,
    /// Number of its samples.
    pub samples: u64,
    /// Number of samples at the end of a wait, without a signal.
    pub at_waits: u64,
    /// Time for which it was ready without a processor, if that is known.
    pub ready_ns: Option<u64>,
    /// CPU time for which its signals were late: in the kernel, and while the program blocked them.
    pub late_ns: [u64; 2],
    /// Runtime whose pool the thread belongs to: an index in [`ProcessFacts::runtimes_used`].
    pub runtime: Option<usize>,
    /// True if it is in no team and has started none, in a process in which others are in teams or have started them.
    pub outside: bool,
    /// True if it is in a team or a pool, or has begun a region, or no thread of the process is or has.
    pub in_teams: bool,
    /// True if it is a thread of the program's own, not its first, and has begun regions: it has a pool of its own.
    pub owns_pool: bool,
    /// Time after its last sample, which is attributed to nothing.
    pub rest_ns: u64,
}

impl ProcessFacts {
    /// A distinguishing name: rank, else process id, else folder.
    pub fn name(&self) -> String {
        match (self.facts.rank, self.facts.pid) {
            (Some(rank), _) => format!("rank {rank}"),
            (None, Some(pid)) => format!("process {pid}"),
            (None, None) => self.folder.shown().to_string(),
        }
    }

    pub(super) fn of(process: &Process) -> Self {
        let (begun, ended) = process.span_ns();
        Self {
            folder: process.folder.clone(),
            begun_ns: process.facts.real_ns(begun),
            ended_ns: process.facts.real_ns(ended),
            facts: process.facts.clone(),
            ended: process.ended_ns.is_some(),
            damaged: process.damaged,
            last_region: process.last_region(),
            has_linked_runtime: process.objects.has_linked_runtime(),
            ..Self::default()
        }
    }

    pub(super) fn count(&mut self, cut: Cut) {
        let reason = (cut as usize).checked_sub(1).and_then(|reason| self.cut.get_mut(reason));
        reason.into_iter().for_each(|count| *count += 1);
    }
}

/// Threads of a process that take no part in OpenMP.
pub(super) struct Outside {
    /// Threads that are in teams or pools, or have begun regions.
    in_teams: BTreeSet<u32>,
    /// Threads of the program's own that have begun regions.
    owners: BTreeSet<u32>,
    /// The program's first thread, whose serial code counts also if it is none of them.
    first: Option<u32>,
}

impl Outside {
    /// Finds these threads. A thread takes part if it has a sample in a region or in a state of the runtime, has
    /// started a region, or belongs to a runtime's pool: short-lived threads of a pool may have no such sample. The
    /// program's first thread takes part if any other does.
    pub(super) fn of(process: &Process, samples: &Pieces<Sample>, runtimes: &Runtimes<'_>) -> Self {
        // On libgomp, once a tool is present, the library puts a function of its own before the pool's.
        let of_pool = |thread: &&Thread| {
            matches!(process.kind(thread.routine, thread.begun_ns), Kind::Runtime | Kind::Own)
                || runtimes.of_thread(thread.number).is_some()
        };
        let pools: BTreeSet<u32> = process.threads.iter().filter(of_pool).map(|thread| thread.number).collect();
        let first = process.threads.first().map(|thread| thread.number);
        let owners = process.masters().filter(|number| !pools.contains(number) && Some(*number) != first).collect();
        let busy = |state| matches!(State(state), State::NONE | State::SERIAL);
        let sampled = samples.iter().filter(|sample| sample.region != 0 || !busy(sample.state));
        let in_teams = sampled.map(|sample| sample.thread).chain(process.masters()).chain(pools).collect();
        Self { in_teams, owners, first }
    }

    pub(super) fn uses_openmp(&self) -> bool {
        !self.in_teams.is_empty()
    }

    pub(super) fn is_outside(&self, thread: u32) -> bool {
        self.uses_openmp() && !self.in_teams.contains(&thread) && self.first != Some(thread)
    }
}

impl ThreadFacts {
    pub(super) fn of(process: u32, facts: &Facts, thread: &Thread, process_threads: &Outside) -> Self {
        let end = thread.end;
        Self {
            process,
            number: thread.number,
            tid: thread.tid,
            begun_ns: facts.real_ns(thread.begun_ns),
            ended_ns: end.map(|end| facts.real_ns(end.ended_ns)),
            asked: end.map(|end| end.asked),
            delivered: end.map_or(thread.ticks, |end| end.delivered),
            lost: end.map_or(0, |end| end.lost),
            samples: thread.samples,
            at_waits: thread.samples - thread.ticks,
            outside: process_threads.is_outside(thread.number),
            owns_pool: process_threads.owners.contains(&thread.number),
            in_teams: !process_threads.uses_openmp() || process_threads.in_teams.contains(&thread.number),
            ready_ns: thread.ready_ns,
            late_ns: thread.late_ns,
            runtime: None,
            rest_ns: end.map_or(0, |end| end.wall_ns),
        }
    }
}
