//! Code outside of regions, by the threads that start them.

use untrusted::figure::Total;

use crate::{Slice, Thread, Timeline, What, outermost};

impl Thread {
    /// True for a thread of the program's own: the first one, or one that the runtime did not create. Threads that existed before the
    /// recording are reported as such, but workers among them start no regions outside of others' ones.
    pub(crate) fn is_initial(&self) -> bool {
        let is_in = |slice: &&Slice| matches!(slice.what, What::Region | What::Implicit);
        self.kind == 1 && self.slices.iter().find(is_in).is_none_or(|slice| slice.what == What::Region)
    }

    /// Time outside of regions.
    pub(crate) fn serial_ns(&self) -> u64 {
        let in_regions_ns: u64 = outermost::regions(self).map(Slice::length_ns).total();
        self.end_ns.saturating_sub(self.begin_ns).saturating_sub(in_regions_ns)
    }
}

/// Time of initial threads outside of regions.
pub(crate) fn of_threads(timeline: &Timeline) -> u64 {
    timeline.threads.iter().filter(|thread| thread.is_initial()).map(Thread::serial_ns).total()
}

/// Time for which only one initial thread lives, and is outside of regions. Others may compute meanwhile, or be in regions: then the code
/// runs in parallel already.
pub(crate) fn alone_ns(timeline: &Timeline) -> u64 {
    // Changes of the numbers of initial threads that live, and of those that are in regions.
    let mut changes: Vec<(u64, [i64; 2])> = Vec::new();
    for thread in timeline.threads.iter().filter(|thread| thread.is_initial()) {
        changes.extend([(thread.begin_ns, [1, 0]), (thread.end_ns, [-1, 0])]);
        let in_regions = outermost::regions(thread).filter(|slice| slice.begin_ns < slice.end_ns);
        changes.extend(in_regions.flat_map(|slice| [(slice.begin_ns, [0, 1]), (slice.end_ns, [0, -1])]));
    }
    changes.sort_unstable();
    let (mut now, mut since_ns, mut alone_ns) = ([0, 0], 0, 0_u64);
    for (at_ns, change) in changes {
        if now == [1, 0] {
            alone_ns = alone_ns.saturating_add(at_ns.saturating_sub(since_ns));
        }
        (now, since_ns) = ([now[0] + change[0], now[1] + change[1]], at_ns);
    }
    alone_ns
}
