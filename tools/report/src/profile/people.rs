//! Processes and threads of a profile.

use std::collections::BTreeSet;
use std::path::PathBuf;

use profile_data::Cut;

use super::RuntimeUse;
use crate::input::{Facts, Process, Thread};
use crate::printable::Shown;
use crate::state::State;

/// A process, without its samples.
#[derive(Clone, Debug, Default)]
pub struct ProcessFacts {
    /// Where its records were.
    pub folder: PathBuf,
    /// What it says of itself.
    pub facts: Facts,
    /// By CLOCK_REALTIME where that is known.
    pub begun_ns: u64,
    /// As far as records tell.
    pub ended_ns: u64,
    /// It ran its exit handlers; else it was killed, or runs still.
    pub ended: bool,
    /// Words of the file that are no record.
    pub damaged: usize,
    /// Samples in a region that the file doesn't have, or not all that are around it.
    pub without_region: u64,
    /// Samples whose stacks lack frames, for each reason, `Cut::Deep` first.
    pub cut: [u64; 4],
    /// CPython ran in it, and no Python function is known.
    pub unnamed_python: bool,
    /// The OpenMP runtimes that were seen at work, those with the most time in regions first.
    pub runtimes_used: Vec<RuntimeUse>,
    /// At least so many regions were begun: they are counted from 1.
    pub last_region: u64,
}

/// A thread, without its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadFacts {
    /// A number in the profile's processes.
    pub process: u32,
    /// Its number in the process.
    pub number: u32,
    /// The kernel's; 0: not known.
    pub tid: u32,
    /// When it was first watched.
    pub begun_ns: u64,
    /// Its end, if that was seen.
    pub ended_ns: Option<u64>,
    /// Signals that its timer should have sent, if its end was seen.
    pub asked: Option<u64>,
    /// Signals that came.
    pub delivered: u64,
    /// Samples that found no room.
    pub lost: u64,
    /// Its samples.
    pub samples: u64,
    /// Samples at the end of a wait, without a signal.
    pub at_waits: u64,
    /// How long it was ready without a processor, where that is known.
    pub ready_ns: Option<u64>,
    /// Of a thread of a pool: whose, by its place in [`ProcessFacts::runtimes_used`].
    pub runtime: Option<usize>,
    /// It is in no team and has begun none, in a process in which others do.
    pub outside: bool,
    /// Time behind its last sample, which belongs to nothing.
    pub rest_ns: u64,
}

impl ProcessFacts {
    /// What tells it from the others: its rank, else its number, else its folder.
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
            ..Self::default()
        }
    }

    pub(super) fn count(&mut self, cut: Cut) {
        let reason = (cut as usize).checked_sub(1).and_then(|reason| self.cut.get_mut(reason));
        reason.into_iter().for_each(|count| *count += 1);
    }
}

/// Which threads of a process take part in OpenMP.
pub(super) struct Outside(BTreeSet<u32>);

impl Outside {
    /// A thread does that has a sample in a region, or in one of the runtime's states, or has begun a region. The one that the
    /// program begins with does where any other does.
    pub(super) fn of(process: &Process) -> Self {
        let busy = |state| matches!(State(state), State::NONE | State::SERIAL);
        let sampled = process.samples.iter().filter(|sample| sample.region != 0 || !busy(sample.state));
        let mut inside: BTreeSet<u32> = sampled.map(|sample| sample.thread).chain(process.masters()).collect();
        if !inside.is_empty() {
            inside.extend(process.threads.first().map(|thread| thread.number));
        }
        Self(inside)
    }

    fn is_outside(&self, thread: u32) -> bool {
        !self.0.is_empty() && !self.0.contains(&thread)
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
            ready_ns: thread.ready_ns,
            runtime: None,
            rest_ns: end.map_or(0, |end| end.wall_ns),
        }
    }
}
