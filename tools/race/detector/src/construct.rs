//! Construct of a task, as stored in histories.

use std::sync::atomic::Ordering::Relaxed;

use crate::history::{Construct, Kind, OfRegion};
use crate::task::{Task, flag};
use crate::thread::Thread;

/// The construct of a task that a thread executes, with its part of the stack below `base`.
pub(crate) fn of(task: &Task, thread: &Thread, base: usize) -> Construct {
    let region = task.region.get();
    let kind = match region {
        _ if task.has(flag::TASKLOOP) => Kind::Taskloop,
        _ if task.has(flag::EXPLICIT) => Kind::Task,
        Some(_) => Kind::Implicit,
        None => Kind::Initial,
    };
    Construct {
        kind,
        codeptr: task.codeptr.load(Relaxed),
        callers: task.callers.each_ref().map(|word| word.load(Relaxed)),
        function: task.function.load(Relaxed),
        base,
        thread: thread.identity(),
        thread_num: thread.thread_num.load(Relaxed),
        task: [task.id.load(Relaxed), task.parent.get().map_or(0, |parent| parent.id.load(Relaxed))],
        region: region.map(|region| OfRegion {
            id: region.id.load(Relaxed),
            codeptr: region.codeptr.load(Relaxed),
            function: region.function.load(Relaxed),
            team: region.team.load(Relaxed),
        }),
        by_number: false,
    }
}
