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
        let sum = sums.entry((it.name(), timeline.code(it))).or_insert(WaitSum { count: 0, idle_ns: 0, longest: wait });
        (sum.count, sum.idle_ns) = (sum.count + 1, figure::sum(sum.idle_ns, wait.idle_ns));
        if wait.idle_ns > sum.longest.idle_ns {
            sum.longest = wait;
        }
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_unstable_by_key(|(key, sum)| (std::cmp::Reverse(sum.idle_ns), *key));
    sums.into_iter().map(|(_, sum)| sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::REGION_END;
    use crate::{Region, Slice, Thread, What};

    #[test]
    fn a_wait_without_a_place_at_a_regions_end_is_at_the_regions() {
        let wait = |id, kind, code, end_ns| Slice {
            begin_ns: 0,
            end_ns,
            code,
            id,
            busy_ns: 0,
            number: 1,
            depth: 0,
            what: What::Wait(kind),
            is_apart: false,
        };
        let slices = vec![
            wait(1, REGION_END, 0, 10),
            wait(1, REGION_END, 0x40, 30),
            wait(2, REGION_END, 0, 20),
            wait(2, 3, 0, 5),
        ];
        let regions = [(1, 0x40), (2, 0x50)].map(|(id, code)| Region { id, code, ..Region::default() });
        let mut timeline = Timeline {
            threads: vec![Thread { slices, ..Thread::default() }],
            regions: regions.to_vec(),
            ..Timeline::default()
        };
        for (index, region) in (0..).zip(&timeline.regions) {
            timeline.region_index.get_or_insert(region.id, index);
        }
        let found: Vec<_> = of(&timeline).iter().map(|sum| (sum.count, sum.idle_ns)).collect();
        assert_eq!(found, [(2, 40), (1, 20), (1, 5)]);
    }
}
