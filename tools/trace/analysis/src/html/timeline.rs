//! The timeline of a process, by its events.

use page::{Change, NamedSlice, Run, WaitFor, resolutions, sums};
use profile_analysis::html::states;

use crate::Timeline;
use crate::cause::{Cause, Causes, longest, slices};
use crate::drawn::is_drawn;

/// Maximum number of slices that are named, of all processes.
const MAX_NAMED: usize = 12_000;
/// Maximum number of waits with their other side, of all processes.
const MAX_WAITS: usize = 2000;

/// The timeline of one of `processes` processes.
pub(super) fn of(timeline: &Timeline, causes: &Causes<'_>, lanes: &[Vec<Change>], processes: usize) -> page::Timeline {
    let run = Run { begin_ns: timeline.begin_ns, length_ns: timeline.end_ns.saturating_sub(timeline.begin_ns) };
    let mut names = Vec::new();
    let slices = longest_slices(timeline, MAX_NAMED / processes.max(1), &mut names);
    page::Timeline {
        length_ns: run.length_ns,
        threads: (0..timeline.threads.len()).map(|index| timeline.thread_name(index)).collect(),
        states: states(sums(lanes)),
        resolutions: resolutions(run, lanes, processes),
        names,
        slices,
        waits: waits(timeline, causes, MAX_WAITS / processes.max(1)),
    }
}

/// The longest waits whose other side is known.
fn waits(timeline: &Timeline, causes: &Causes<'_>, most: usize) -> Vec<WaitFor> {
    let since = |at_ns: u64| at_ns.saturating_sub(timeline.begin_ns);
    let waits = longest(timeline, causes, most).into_iter().filter_map(|wait| {
        let slice = timeline.slice(wait.thread, wait.slice)?;
        let (thread, at_ns) = match wait.cause? {
            Cause::LastArrival { thread, at_ns } => (thread, at_ns),
            Cause::Holder { thread, slice } => (thread, timeline.slice(thread, slice)?.end_ns),
            Cause::LastTask { task } => timeline.task(task).map(|task| (task.last.0, task.ended_ns))?,
        };
        (thread != wait.thread).then(|| (wait.thread, since(slice.begin_ns), slice.length_ns(), thread, since(at_ns)))
    });
    waits.collect()
}

/// The longest slices, ordered by thread and start.
fn longest_slices(timeline: &Timeline, most: usize, names: &mut Vec<String>) -> Vec<NamedSlice> {
    let drawn = slices(timeline).filter(|(_, _, slice)| !slice.is_apart && is_drawn(timeline, slice));
    let mut all: Vec<_> = drawn.map(|(thread, index, slice)| (slice.length_ns(), thread, index)).collect();
    if all.len() > most && most > 0 {
        all.select_nth_unstable_by(most - 1, |a, b| b.cmp(a));
        all.truncate(most);
    }
    all.sort_unstable_by_key(|(_, thread, index)| (*thread, *index));
    let mut known = rustc_hash::FxHashMap::default();
    let named = all.into_iter().filter_map(|(length_ns, thread, index)| {
        let slice = timeline.slice(thread, index)?;
        let name = *known.entry(timeline.describe(slice)).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() - 1
        });
        Some((thread, slice.begin_ns.saturating_sub(timeline.begin_ns), length_ns, slice.depth, name))
    });
    named.collect()
}
