//! Flows: links from one thread's time to another's.

use crate::cause::{Cause, Causes, slices};
use crate::{Timeline, What, drawn};

/// Kind of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// From a task's creation to its execution. It starts at a moment, not at a slice.
    Creation,
    /// From the predecessor task to the dependent task.
    Dependence,
    /// From a mutex's holder to the thread that got it after waiting.
    Mutex,
}

/// A flow between two slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Number of the flow, from 1.
    pub id: u64,
    /// Kind of the flow.
    pub kind: Kind,
    /// Thread and slice that it comes from; for a creation the slice is `u32::MAX`.
    pub from: (u32, u32),
    /// Time at which it leaves: that of the creation, otherwise the start of the slice.
    pub from_ns: u64,
    /// Thread and slice that it goes to.
    pub to: (u32, u32),
}

/// All flows of a process, in no order.
pub fn all(timeline: &Timeline, causes: &Causes<'_>) -> Vec<Flow> {
    let mut flows = Vec::new();
    let mut add = |kind, from, from_ns, to: (u32, u32)| {
        let begins_later = timeline.slice(to.0, to.1).is_some_and(|slice| slice.begin_ns >= from_ns);
        if begins_later {
            flows.push(Flow { id: flows.len() as u64 + 1, kind, from, from_ns, to });
        }
    };
    for task in timeline.tasks.iter().filter(|task| task.created_ns > 0 && task.begun_ns > 0) {
        add(Kind::Creation, (task.creator, u32::MAX), task.created_ns, task.first);
    }
    for (before, behind) in &timeline.dependences {
        let both = timeline.task(*before).zip(timeline.task(*behind));
        if let Some((before, behind)) = both.filter(|(before, behind)| before.begun_ns > 0 && behind.begun_ns > 0)
            && let Some(slice) = timeline.slice(before.last.0, before.last.1)
        {
            add(Kind::Dependence, before.last, slice.begin_ns, behind.first);
        }
    }
    for (thread, index, wait) in slices(timeline) {
        if !matches!(wait.what, What::MutexWait(_)) || wait.length_ns() < drawn::SHORTEST_NS {
            continue;
        }
        let Some(Cause::Holder { thread: holder, slice }) = causes.cause(thread, wait) else { continue };
        // The mutex's slice follows that of the wait for it.
        if let Some(held) = timeline.slice(holder, slice).filter(|held| !held.is_apart)
            && timeline.slice(thread, index + 1).is_some_and(|got| matches!(got.what, What::Mutex(_)) && !got.is_apart)
        {
            add(Kind::Mutex, (holder, slice), held.begin_ns, (thread, index + 1));
        }
    }
    flows
}
