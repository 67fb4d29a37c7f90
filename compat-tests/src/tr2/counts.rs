//! Comparison of a TR2 trace with a program's text (`expect: ...` comments): its events are converted to those of the Sun Collector API,
//! which the comments count.

use std::collections::{BTreeMap, BTreeSet};

use super::trace::{Tr2Record, Tr2Trace};
use crate::expect::Expected;
use crate::numbers::event;
use crate::trace;

/// Events of TR2, and the collector event of the same meaning.
const SAME: [(&str, i32); 15] = [
    ("parallel_begin", event::FORK),
    ("parallel_end", event::JOIN),
    ("idle_end", event::END_IDLE),
    ("wait_lock", event::BEGIN_LKWT),
    ("wait_nest_lock", event::BEGIN_LKWT),
    ("wait_critical", event::BEGIN_CTWT),
    ("wait_ordered", event::BEGIN_ODWT),
    ("wait_atomic", event::BEGIN_ATWT),
    ("single_in_block_begin", event::BEGIN_SINGLE),
    ("acquired_ordered", event::BEGIN_ORDERED),
    ("task_begin", event::BEGIN_EXEC),
    ("taskwait_begin", event::BEGIN_SUSPEND),
    ("wait_taskgroup_end", event::BEGIN_SUSPEND),
    ("barrier_begin", event::BEGIN_IBAR),
    ("master_begin", event::BEGIN_MASTER),
];

/// Counts that differ from the text's, each as a sentence.
pub fn differences(expected: &Expected, reports: &Tr2Trace) -> Vec<String> {
    expected.differences(&as_collectors(reports))
}

/// Converts the counted events to those that a collector would have received.
pub fn as_collectors(reports: &Tr2Trace) -> trace::Trace {
    let explicit = super::numbers::state("wait_barrier_explicit");
    let interrupted = interrupted(reports);
    let mut same = trace::Trace::default();
    for (name, number) in SAME {
        // A worker that ends leaves the idle state as well.
        let counts = reports.of(name).filter(|r| name != "idle_end" || r.regions[0] != 0);
        let counts = counts.filter(|r| name != "wait_taskgroup_end" || !interrupted.contains(&r.seq));
        same.records.extend(counts.map(|r| {
            let event = if name == "barrier_begin" && r.state == explicit { event::BEGIN_EBAR } else { number };
            trace::Record { event, prid: region_of(r), ..trace::Record::default() }
        }));
    }
    same
}

/// Ends of waits that continue: the thread executes a task in between.
fn interrupted(reports: &Tr2Trace) -> BTreeSet<u64> {
    let mut last: BTreeMap<u64, &Tr2Record> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for record in &reports.records {
        let before = last.insert(record.thread, record);
        found.extend(before.filter(|_| record.name() == "task_switch").map(|before| before.seq));
    }
    found
}

/// Region that a collector would have received.
fn region_of(record: &Tr2Record) -> u64 {
    if record.name() == "parallel_begin" { record.arguments[2] } else { record.regions[0] }
}
