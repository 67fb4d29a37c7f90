//! One thread's figures, and how threads' time was spent.

use std::slice;

use serde::Serialize;
use terminal::printable::Foreign;
use untrusted::figure::Total;

use super::activities::{Activities, Waits, activities, waits};
use crate::stat::snapshot::{Kind, Thread};
use crate::stat::time_split::TimeSplit;

/// A thread.
///
/// A thread counts from its first event on, the initial one from its start.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneThread<'a> {
    /// Its number for the kernel.
    tid: u32,
    /// `"initial"`; `"worker"`: of the runtime's pool; `"own"`: one that the program made and that used OpenMP.
    kind: &'static str,
    /// Above 1 when there were so many threads (4096 in all) that several share one object, one after the
    /// other.
    threads_in_turn: u32,
    /// Number of regions that it took part in as a worker.
    regions_served: u64,
    /// Of a worker: the file of the runtime whose pool it is of; `null`: not seen, or no worker.
    runtime: Option<&'a str>,
    /// Its time, in parts that have no overlap.
    time_ns: Activities<u64>,
    #[serde(flatten)]
    passed: HowPassed,
    /// Number of times that the kernel moved the thread to another processor. 0 where it doesn't say
    /// (`/proc/self/sched`), and of threads that lived for less than 100 ms.
    moves: u32,
    /// Numbers of waits that began.
    waits: Waits<u64>,
}

/// Passing of the time.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct HowPassed {
    /// Time on a processor. This and the next three add up to the time of all threads.
    running_ns: u64,
    /// Time for which they were ready to run, without a processor.
    ready_ns: u64,
    /// Time for which they were asleep in the kernel.
    blocked_ns: u64,
    /// Time not known (after the last reading of the clocks, where the end was `"silent"`, `"replaced"` or
    /// `"running"`).
    unknown_ns: u64,
    /// The time on a processor by activity: a wait that is asleep has little of it, one that spins has all. The
    /// clocks are read at events, at most every 0.2 ms; of shorter waits and pieces of work together, waits are
    /// taken to have been off the processors first.
    running_by_activity_ns: Activities<u64>,
}

/// The figures of `thread`.
pub(super) fn one_thread(thread: &Thread) -> OneThread<'_> {
    OneThread {
        tid: thread.tid,
        kind: match thread.kind {
            Kind::Initial => "initial",
            Kind::Worker => "worker",
            Kind::Own => "own",
        },
        threads_in_turn: thread.turns,
        regions_served: thread.served,
        runtime: thread.runtime.as_ref().map(Foreign::raw),
        time_ns: activities(|activity| thread.spent(activity)),
        passed: passed(slice::from_ref(thread)),
        moves: thread.passed.moves,
        waits: waits(|activity| thread.begun.get(activity as usize).copied().unwrap_or_default()),
    }
}

/// Sums over `threads`.
pub(super) fn passed(threads: &[Thread]) -> HowPassed {
    let sum = |of: &dyn Fn(&TimeSplit) -> u64| threads.iter().map(|thread| of(&thread.passed)).total();
    HowPassed {
        running_ns: sum(&|passed| passed.running_ns),
        ready_ns: sum(&|passed| passed.ready_ns),
        blocked_ns: sum(&|passed| passed.blocked_ns),
        unknown_ns: sum(&|passed| passed.unknown_ns),
        running_by_activity_ns: activities(|activity| {
            sum(&|passed| passed.running_by_activity_ns.get(activity as usize).copied().unwrap_or_default())
        }),
    }
}
