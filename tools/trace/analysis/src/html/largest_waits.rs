//! The most expensive waits by place, and what they cost.

use rustc_hash::FxHashMap;
use untrusted::figure;

use crate::Timeline;
use crate::cause::slices;

/// Waits of one kind at one place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WaitSum {
    /// `implicit barrier at heat.c:10`.
    pub(super) name: String,
    pub(super) count: u64,
    /// Time for which threads waited there, without tasks that they executed meanwhile.
    pub(super) idle_ns: u64,
}

/// All waits by kind and place, the most expensive one first.
pub(super) fn of(timeline: &Timeline) -> Vec<WaitSum> {
    let mut sums: FxHashMap<(&'static str, u64), (u64, u64)> = FxHashMap::default();
    let mut samples = FxHashMap::default();
    for (_, _, slice) in slices(timeline).filter(|(_, _, slice)| slice.is_wait() && timeline.is_shown(slice)) {
        let key = (slice.name(), slice.code);
        let (count, idle_ns) = sums.entry(key).or_default();
        (*count, *idle_ns) = (*count + 1, figure::sum(*idle_ns, slice.idle_ns()));
        samples.entry(key).or_insert(slice);
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_unstable_by_key(|(key, (_, idle_ns))| (std::cmp::Reverse(*idle_ns), *key));
    let sum = |(key, (count, idle_ns))| {
        samples.get(&key).map(|slice| WaitSum { name: timeline.describe(slice), count, idle_ns })
    };
    sums.into_iter().filter_map(sum).collect()
}
