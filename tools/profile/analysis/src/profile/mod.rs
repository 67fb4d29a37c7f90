//! A profile: the processes, and all samples in the program's own terms.
//!
//! Samples keep their thread, time and state, so that a view over time, or the difference of two profiles, needs
//! nothing else. Processes, including the ranks of a job, are independent; functions of the same name, file and
//! object are merged.

mod build;
mod code;
mod off_processor;
mod processes;
mod runtimes;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use profile_format::Moment;

use crate::state::State;
use crate::user_model::View;
pub use build::build;
pub use code::{Code, Construct, Frame, Function};
pub use off_processor::NO_PROCESSOR;
pub(crate) use off_processor::{ASLEEP, busy_off_processor_ns, is_busy, ready, whole};
pub use processes::{ProcessFacts, ThreadFacts};
pub use runtimes::RuntimeUse;

/// Index of the empty stack in [`Profile::contexts`].
pub const EMPTY: u32 = 0;
/// Index of the code outside of all regions in [`Profile::nests`].
pub const OUTSIDE: u32 = 0;

/// A whole profile: the input of a report.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Kind of the stacks.
    pub view: View,
    /// The processes, in the order they were given.
    pub processes: Vec<ProcessFacts>,
    /// The threads of all processes.
    pub threads: Vec<ThreadFacts>,
    /// Functions and frames.
    pub code: Code,
    /// Stacks: each extends another one by a frame. The first is the empty stack.
    pub contexts: Vec<Context>,
    /// Nested parallel regions. The first represents the code outside.
    pub nests: Vec<Nest>,
    /// Constructs among [`Code::constructs`] whose work is shared by `sections`, as far as gcc's code shows it.
    pub sections: BTreeSet<u32>,
    /// Path of the runtime that the regions of a construct ran on, if it was seen.
    pub runtimes: BTreeMap<u32, String>,
    /// Samples of threads that take part in OpenMP, and of processes that don't.
    pub samples: Vec<Point>,
    /// Samples of threads outside OpenMP: in no team and without a region of their own, in processes where other
    /// threads have teams or regions.
    pub outside: Vec<Point>,
}

/// A stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Context {
    /// Index of the stack without its last frame; smaller than its own.
    pub parent: u32,
    /// Index in [`Code::frames`].
    pub frame: u32,
}

/// A region, nested in another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Nest {
    /// Index of the enclosing nest; smaller than its own.
    pub outer: u32,
    /// Index in [`Code::constructs`].
    pub construct: u32,
}

/// A sample: a thread's time since its last sample, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Index in [`Profile::threads`].
    pub thread: u32,
    /// Index in [`Profile::contexts`].
    pub context: u32,
    /// Index in [`Profile::nests`].
    pub nest: u32,
    /// Number of the region's instance in its process; 0: outside.
    pub region: u64,
    /// State of the thread.
    pub state: State,
    /// Reason why the sample was taken.
    pub moment: Moment,
    /// Time of the sample, by CLOCK_REALTIME where that is known.
    pub at_ns: u64,
    /// Wall-clock time that the sample represents.
    pub wall_ns: u64,
    /// CPU time that the sample represents.
    pub cpu_ns: u64,
    /// Wait id of the thread's wait; 0: none.
    pub wait: u64,
    /// True if the thread slept outside of OpenMP.
    pub asleep: bool,
    /// True for time that no sample of its own represents: a part of another point's sample, or the time before the first.
    pub is_part: bool,
}

impl Profile {
    /// Indices of a stack's frames, the leaf first.
    pub fn frames(&self, context: u32) -> impl Iterator<Item = u32> {
        let mut next = context;
        std::iter::from_fn(move || {
            let context = self.contexts.get(next as usize).filter(|_| next != EMPTY)?;
            next = context.parent;
            Some(context.frame)
        })
    }

    /// Indices of the constructs of a nest's regions, the innermost first.
    pub fn constructs(&self, nest: u32) -> impl Iterator<Item = u32> + Clone {
        let mut next = nest;
        std::iter::from_fn(move || {
            let nest = self.nests.get(next as usize).filter(|_| next != OUTSIDE)?;
            next = nest.outer;
            Some(nest.construct)
        })
    }

    /// Iterates over all samples of all threads.
    pub fn all_samples(&self) -> impl Iterator<Item = &Point> {
        self.samples.iter().chain(&self.outside)
    }

    /// Indices of a process's threads: threads are in the order of their processes.
    pub fn thread_numbers(&self, process: u32) -> Range<usize> {
        let first = |process| self.threads.partition_point(|thread| thread.process < process);
        first(process)..first(process.saturating_add(1))
    }

    /// The threads of a process.
    pub fn threads_of(&self, process: u32) -> &[ThreadFacts] {
        self.threads.get(self.thread_numbers(process)).unwrap_or_default()
    }

    /// Those of [`Profile::samples`] that are of a process: samples are in the order of their processes.
    pub fn samples_of(&self, process: u32) -> &[Point] {
        let Range { start, end } = self.thread_numbers(process);
        let first = |number| self.samples.partition_point(|point| (point.thread as usize) < number);
        self.samples.get(first(start)..first(end)).unwrap_or_default()
    }

    /// Start of the first process and end of the last one.
    pub fn span_ns(&self) -> (u64, u64) {
        let begin = self.processes.iter().map(|process| process.begun_ns).min().unwrap_or(0);
        let end = self.processes.iter().map(|process| process.ended_ns).max().unwrap_or(0);
        (begin, end.max(begin))
    }
}
