//! Counters over time.

use crate::cause::slices;
use crate::{Timeline, What};

/// Number of threads in regions that don't wait: each change with its time.
pub(super) fn working(timeline: &Timeline) -> Vec<(u64, u64)> {
    let mut changes = Vec::new();
    for (_, _, slice) in slices(timeline).filter(|(_, _, slice)| timeline.is_shown(slice)) {
        let change = match slice.what {
            What::Implicit | What::Before => 1,
            What::Wait(_) | What::MutexWait(_) => -1,
            What::Task if slice.is_in_wait() => 1,
            _ => continue,
        };
        changes.extend([(slice.begin_ns, change), (slice.end_ns, -change)]);
    }
    summed(changes)
}

/// Number of tasks that were created and have not begun: each change with its time.
pub(super) fn waiting(timeline: &Timeline) -> Vec<(u64, u64)> {
    let tasks = timeline.tasks.iter().filter(|task| task.created_ns > 0 && task.begun_ns >= task.created_ns);
    summed(tasks.flat_map(|task| [(task.created_ns, 1), (task.begun_ns, -1)]).collect())
}

/// The sums after each time at which something changes.
fn summed(mut changes: Vec<(u64, i64)>) -> Vec<(u64, u64)> {
    changes.sort_unstable();
    let (mut sums, mut sum): (Vec<(u64, u64)>, i64) = (Vec::new(), 0);
    for (at_ns, change) in changes {
        sum += change;
        let value = u64::try_from(sum).unwrap_or(0);
        match sums.last_mut() {
            Some(last) if last.0 == at_ns => last.1 = value,
            _ => sums.push((at_ns, value)),
        }
    }
    sums.dedup_by_key(|(_, value)| *value);
    sums
}
