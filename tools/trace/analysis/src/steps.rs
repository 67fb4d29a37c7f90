//! Steps of a thread: what it starts and ends, moment by moment, for formats without slices.

use rustc_hash::FxHashMap;
use trace_format::task_flag;

use crate::Timeline;
use crate::drawn::is_drawn;

/// A change at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A slice begins, by its index in the thread's.
    Begin(u32),
    /// It ends.
    End(u32),
    /// A task is created, by its index in the timeline's.
    Create(usize),
}

/// The tasks that each thread has created, by their indices.
pub(crate) fn creations(timeline: &Timeline) -> FxHashMap<u32, Vec<usize>> {
    let mut created: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (at, task) in timeline.tasks.iter().enumerate() {
        if task.created_ns > 0 && task.flags & task_flag::TASKWAIT == 0 {
            created.entry(task.creator).or_default().push(at);
        }
    }
    created
}

/// The steps of a thread with their times, in their order: nested slices, and the tasks that it has created.
pub(crate) fn of_thread(timeline: &Timeline, thread: u32, created: Vec<usize>) -> Vec<(u64, Step)> {
    let Some(it) = timeline.threads.get(thread as usize) else { return Vec::new() };
    let mut steps = Vec::new();
    let mut open: Vec<(u64, u32)> = Vec::new();
    for (number, slice) in (0..).zip(&it.slices) {
        if !is_drawn(timeline, slice) || slice.is_apart {
            continue;
        }
        while let Some((end, inner)) = open.last().copied().filter(|(end, _)| *end <= slice.begin_ns) {
            open.pop();
            steps.push((end, Step::End(inner)));
        }
        steps.push((slice.begin_ns, Step::Begin(number)));
        open.push((open.last().map_or(slice.end_ns, |(around, _)| slice.end_ns.min(*around)), number));
    }
    steps.extend(open.into_iter().rev().map(|(end, number)| (end, Step::End(number))));
    let at = |task: usize| timeline.tasks.get(task).map_or(0, |task| task.created_ns);
    steps.extend(created.into_iter().map(|task| (at(task), Step::Create(task))));
    // Steps of one moment keep their order.
    steps.sort_by_key(|(at_ns, _)| *at_ns);
    steps
}
