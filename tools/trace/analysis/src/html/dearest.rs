//! The most expensive waits by place, and what they cost.

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::Timeline;
use crate::cause::slices;

/// Most of them.
const MOST: usize = 3;
/// Part of the threads' time that is worth a line.
const LEAST: f64 = 0.005;

/// Waits of one kind at one place.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Dearest {
    /// `implicit barrier at heat.c:10`.
    wait: String,
    count: u64,
    /// Time that threads waited there, without tasks that they executed meanwhile.
    idle_ns: u64,
    /// Part of the time of all threads.
    part: f64,
    /// Time that it would save if nobody waited there: that part of the run.
    saves_ns: u64,
}

/// The most expensive waits.
pub(super) fn of(timeline: &Timeline) -> Vec<Dearest> {
    let mut sums: FxHashMap<(&'static str, u64), (u64, u64)> = FxHashMap::default();
    let mut names = FxHashMap::default();
    for (_, _, slice) in slices(timeline).filter(|(_, _, slice)| slice.is_wait() && timeline.is_shown(slice)) {
        let key = (slice.name(), slice.code);
        let (count, idle_ns) = sums.entry(key).or_default();
        (*count, *idle_ns) = (*count + 1, idle_ns.saturating_add(slice.idle_ns()));
        names.entry(key).or_insert(slice);
    }
    let all_ns: f64 = timeline.threads.iter().map(|thread| thread.end_ns.saturating_sub(thread.begin_ns) as f64).sum();
    let threads = timeline.threads.len().max(1) as u64;
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_unstable_by_key(|(key, (_, idle_ns))| (std::cmp::Reverse(*idle_ns), *key));
    let dearest = sums.into_iter().take(MOST).filter_map(|(key, (count, idle_ns))| {
        let part = idle_ns as f64 / all_ns.max(1.0);
        let wait = names.get(&key).map(|slice| timeline.describe(slice))?;
        (part >= LEAST).then_some(Dearest { wait, count, idle_ns, part, saves_ns: idle_ns / threads })
    });
    dearest.collect()
}
