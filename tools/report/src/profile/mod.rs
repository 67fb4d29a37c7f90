//! A profile: who was watched, and where every sample lies, in the program's own terms.
//!
//! Samples keep their thread, time and state, so that a view over time, or the difference of two profiles, needs nothing
//! else. Processes, the ranks of a job among them, stand side by side; functions of one name, file and object are one.

mod build;
mod code;
mod people;
mod runtimes;

use std::collections::{BTreeMap, BTreeSet};

use profile_data::Moment;

use crate::state::State;
use crate::user_model::View;
pub use build::build;
pub use code::{Code, Construct, Frame, Function};
pub use people::{ProcessFacts, ThreadFacts};
pub use runtimes::RuntimeUse;

/// The empty stack in [`Profile::contexts`].
pub const EMPTY: u32 = 0;
/// Outside of all regions in [`Profile::nests`].
pub const OUTSIDE: u32 = 0;

/// What `ora report` shows.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Which stacks these are.
    pub view: View,
    /// The processes, in the order they were given.
    pub processes: Vec<ProcessFacts>,
    /// All their threads.
    pub threads: Vec<ThreadFacts>,
    /// Functions and frames.
    pub code: Code,
    /// Stacks: each one is another one with one frame more. The first is the empty stack.
    pub contexts: Vec<Context>,
    /// Parallel regions in one another. The first stands for being outside.
    pub nests: Vec<Nest>,
    /// The constructs among [`Code::constructs`] whose work is shared by `sections`, as far as gcc's code shows it.
    pub sections: BTreeSet<u32>,
    /// The file of the runtime that the regions of a construct ran on, where that was seen.
    pub runtimes: BTreeMap<u32, String>,
    /// Every sample of threads that take part in OpenMP, and of processes that don't.
    pub samples: Vec<Point>,
    /// Those of threads that are in no team and have begun none, beside others that are or have.
    pub outside: Vec<Point>,
}

/// A stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Context {
    /// The stack without its last frame; a smaller number than its own.
    pub parent: u32,
    /// A number in [`Code::frames`].
    pub frame: u32,
}

/// A region in another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Nest {
    /// What is around it; a smaller number than its own.
    pub outer: u32,
    /// A number in [`Code::constructs`].
    pub construct: u32,
}

/// A thread's time since its last sample, and where it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// A number in [`Profile::threads`].
    pub thread: u32,
    /// A number in [`Profile::contexts`].
    pub context: u32,
    /// A number in [`Profile::nests`].
    pub nest: u32,
    /// Which instance of the region, in its process; 0: outside.
    pub region: u64,
    /// What the thread did.
    pub state: State,
    /// Why the sample was taken.
    pub moment: Moment,
    /// When, by CLOCK_REALTIME where that is known.
    pub at_ns: u64,
    /// Time that it stands for.
    pub wall_ns: u64,
    /// CPU time of that.
    pub cpu_ns: u64,
    /// What the thread waited for; 0: nothing that has a number.
    pub wait: u64,
    /// It slept outside of OpenMP.
    pub asleep: bool,
}

impl Profile {
    /// The numbers of a stack's frames, the leaf first.
    pub fn frames(&self, context: u32) -> impl Iterator<Item = u32> {
        let mut next = context;
        std::iter::from_fn(move || {
            let context = self.contexts.get(next as usize).filter(|_| next != EMPTY)?;
            next = context.parent;
            Some(context.frame)
        })
    }

    /// The numbers of the constructs of regions, the innermost first.
    pub fn constructs(&self, nest: u32) -> impl Iterator<Item = u32> + Clone {
        let mut next = nest;
        std::iter::from_fn(move || {
            let nest = self.nests.get(next as usize).filter(|_| next != OUTSIDE)?;
            next = nest.outer;
            Some(nest.construct)
        })
    }

    /// Every sample of every thread.
    pub fn all_samples(&self) -> impl Iterator<Item = &Point> {
        self.samples.iter().chain(&self.outside)
    }

    /// When the first process began and the last one ended.
    pub fn span_ns(&self) -> (u64, u64) {
        let begin = self.processes.iter().map(|process| process.begun_ns).min().unwrap_or(0);
        let end = self.processes.iter().map(|process| process.ended_ns).max().unwrap_or(0);
        (begin, end.max(begin))
    }
}
