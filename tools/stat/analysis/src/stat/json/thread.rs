//! One thread's figures, and how threads' time passed.

use std::slice;

use outside::figure::Total;
use serde::Serialize;
use terminal::printable::Foreign;

use super::activities::{Activities, Waits, activities, waits};
use crate::stat::snapshot::{Kind, Thread};
use crate::stat::time_split::TimeSplit;

/// One thread, or several in turn.
#[derive(Serialize)]
pub(super) struct OneThread<'a> {
    tid: u32,
    kind: &'static str,
    threads_in_turn: u32,
    regions_served: u64,
    runtime: Option<&'a str>,
    time_ns: Activities<u64>,
    #[serde(flatten)]
    passed: HowPassed,
    moves: u32,
    waits: Waits<u64>,
}

/// Parts that add up to the time.
#[derive(Serialize)]
pub(super) struct HowPassed {
    running_ns: u64,
    ready_ns: u64,
    blocked_ns: u64,
    unknown_ns: u64,
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
