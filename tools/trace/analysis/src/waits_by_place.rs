//! The waits by place, and what they cost.

use rustc_hash::FxHashMap;
use untrusted::figure;

use crate::Timeline;
use crate::cause::{Wait, slices};

/// Waits of one kind at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WaitSum {
    pub(crate) count: u64,
    /// Time that threads waited there, without tasks that they executed meanwhile.
    pub(crate) idle_ns: u64,
    /// The longest of them, whose cause is not determined.
    pub(crate) longest: Wait,
}

impl WaitSum {
    /// `implicit barrier at heat.c:10`.
    pub(crate) fn name(&self, timeline: &Timeline) -> String {
        let slice = timeline.slice(self.longest.thread, self.longest.slice);
        slice.map_or_else(String::new, |slice| timeline.describe(slice))
    }
}

/// All waits by kind and place, the most expensive one first.
pub(crate) fn of(timeline: &Timeline) -> Vec<WaitSum> {
    let mut sums: FxHashMap<(&'static str, u64), WaitSum> = FxHashMap::default();
    for (thread, slice, it) in slices(timeline).filter(|(_, _, it)| it.is_wait() && timeline.is_shown(it)) {
        let wait = Wait { thread, slice, idle_ns: it.idle_ns(), cause: None };
        let sum = sums.entry((it.name(), it.code)).or_insert(WaitSum { count: 0, idle_ns: 0, longest: wait });
        (sum.count, sum.idle_ns) = (sum.count + 1, figure::sum(sum.idle_ns, wait.idle_ns));
        if wait.idle_ns > sum.longest.idle_ns {
            sum.longest = wait;
        }
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_unstable_by_key(|(key, sum)| (std::cmp::Reverse(sum.idle_ns), *key));
    sums.into_iter().map(|(_, sum)| sum).collect()
}
