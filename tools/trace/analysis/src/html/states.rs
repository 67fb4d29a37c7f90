//! States of threads, without nesting: one for each moment. Their names are those of the samples' states.

use page::Change;

use crate::kinds::{DEPENDENCES, TASKGROUP, TASKWAIT};
use crate::{Slice, Thread, Timeline, What};

/// The changes of each thread's state, in order.
pub(super) fn lanes(timeline: &Timeline) -> Vec<Vec<Change>> {
    timeline.threads.iter().map(|thread| lane(timeline, thread)).collect()
}

/// State of a slice; `None` for one that changes nothing.
fn state(slice: &Slice) -> Option<u8> {
    match slice.what {
        What::Implicit | What::Before => Some(2),
        What::Task => Some(3),
        What::Wait(TASKWAIT | TASKGROUP | DEPENDENCES) => Some(5),
        What::Wait(_) => Some(4),
        What::MutexWait(_) => Some(6),
        What::Mutex(_) => Some(7),
        What::Region | What::Group | What::Work(_) | What::Masked | What::Recorder => None,
    }
}

fn lane(timeline: &Timeline, thread: &Thread) -> Vec<Change> {
    let outside = u8::from(thread.kind != 2);
    let mut changes = vec![(thread.begin_ns, outside)];
    // End and state of each open slice.
    let mut open: Vec<(u64, u8)> = Vec::new();
    let close = |changes: &mut Vec<Change>, open: &mut Vec<(u64, u8)>, until: u64| {
        while let Some((end, _)) = open.last().copied().filter(|(end, _)| *end <= until) {
            open.pop();
            changes.push((end, open.last().map_or(outside, |(_, state)| *state)));
        }
    };
    let shown = thread.slices.iter().filter(|slice| !slice.is_apart && timeline.is_shown(slice));
    for (slice, state) in shown.filter_map(|slice| Some((slice, state(slice)?))) {
        close(&mut changes, &mut open, slice.begin_ns);
        changes.push((slice.begin_ns, state));
        open.push((slice.end_ns, state));
    }
    close(&mut changes, &mut open, u64::MAX);
    changes.push((thread.end_ns, 0));
    changes
}
