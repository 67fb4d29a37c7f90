//! The waits by place, and what they cost.

use rustc_hash::FxHashMap;
use untrusted::figure;

use crate::Timeline;
use crate::cause::{Causes, Wait, slices};

/// Waits of one kind at one place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WaitSum {
    /// `implicit barrier at heat.c:10`.
    pub(crate) name: String,
    pub(crate) count: u64,
    /// Time that threads waited there, without tasks that they executed meanwhile.
    pub(crate) idle_ns: u64,
    /// The longest of them.
    pub(crate) longest: Wait,
}

/// All waits by kind and place, the most expensive one first.
pub(crate) fn of(timeline: &Timeline, causes: &Causes) -> Vec<WaitSum> {
    let mut sums: FxHashMap<(&'static str, u64), (u64, u64, Wait)> = FxHashMap::default();
    for (thread, slice, it) in slices(timeline).filter(|(_, _, it)| it.is_wait() && timeline.is_shown(it)) {
        let wait = Wait { thread, slice, idle_ns: it.idle_ns(), cause: None };
        let (count, idle_ns, longest) = sums.entry((it.name(), it.code)).or_insert((0, 0, wait));
        (*count, *idle_ns) = (*count + 1, figure::sum(*idle_ns, wait.idle_ns));
        if wait.idle_ns > longest.idle_ns {
            *longest = wait;
        }
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_unstable_by_key(|(key, (_, idle_ns, _))| (std::cmp::Reverse(*idle_ns), *key));
    let sum = |(_, (count, idle_ns, longest)): (_, (u64, u64, Wait))| {
        let slice = timeline.slice(longest.thread, longest.slice)?;
        let longest = Wait { cause: causes.cause(longest.thread, slice), ..longest };
        Some(WaitSum { name: timeline.describe(slice), count, idle_ns, longest })
    };
    sums.into_iter().filter_map(sum).collect()
}
