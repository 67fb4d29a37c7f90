//! The region that a thread is about to leave, where nothing is left open in it.

use std::sync::atomic::Ordering::Relaxed;

use super::{Activity, Frame, ThreadSlot, Timeline};
use stat_layout::process_table::add;

impl Timeline {
    /// The region that the thread forked and works on, if that is its innermost activity.
    #[inline(always)]
    pub(in crate::stat) fn forked(&self) -> Option<u64> {
        // The outermost frame may be a region that a worker serves.
        let at_work = |top: &Frame| top.activity == Activity::Work && !top.is_task && top.region != 0;
        let is_known = self.depth > 1 && self.beyond == 0;
        Some(self.top()).filter(|top| is_known && at_work(top)).map(|top| top.region)
    }

    /// The thread forks a region, as [`Happening::Fork`](super::Happening::Fork).
    #[inline(always)]
    pub(in crate::stat) fn fork(&mut self, region: u64, at_ns: u64, slot: &ThreadSlot) {
        self.unsure_ns = None;
        self.charge(slot, at_ns);
        self.push(Activity::Work, region);
        add(&slot.forks, 1);
        if self.beyond == 0 {
            slot.now.store(Activity::Work as u32, Relaxed);
            slot.region.store(region, Relaxed);
        }
    }

    /// The thread arrives at an implicit barrier, directly after the work of [`Self::forked`].
    #[inline(always)]
    pub(in crate::stat) fn arrive(&mut self, at_ns: u64, slot: &ThreadSlot) {
        self.work_until(at_ns, slot);
        let region = self.top().region;
        self.push(Activity::ImplicitBarrier, region);
        let [_, _, begun, ..] = &slot.begun;
        add(begun, 1);
        slot.now.store(Activity::ImplicitBarrier as u32, Relaxed);
    }

    /// The thread leaves that barrier, before any other event, at the same time.
    #[inline(always)]
    pub(in crate::stat) fn leave_barrier(&mut self, slot: &ThreadSlot) {
        self.depth = self.depth.saturating_sub(1).max(1);
        slot.now.store(Activity::Work as u32, Relaxed);
    }

    /// Charges the work of [`Self::forked`] up to that time.
    #[inline(always)]
    pub(in crate::stat) fn work_until(&mut self, at_ns: u64, slot: &ThreadSlot) {
        self.unsure_ns = None;
        let [_, work, ..] = &slot.spent_ns;
        add(work, at_ns.saturating_sub(self.mark_ns));
        self.mark_ns = at_ns;
    }

    /// The thread joins the region of [`Self::forked`] at the last event's time, as a team of its own: no other thread asks for
    /// the time of its end.
    #[inline(always)]
    pub(in crate::stat) fn join_forked(&mut self, slot: &ThreadSlot) {
        let begin_ns = self.top().begin_ns;
        self.depth = self.depth.saturating_sub(1).max(1);
        self.count_join(begin_ns, slot);
        self.publish(slot);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Happening::*;
    use super::*;
    use stat_layout::area::SharedArea;
    use stat_layout::stat::activity::Activity::*;
    use stat_layout::stat::layout::Area;

    #[test]
    fn the_region_to_be_joined_is_known_where_nothing_is_left_open_in_it() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let (_, slot) = shared.area().claim_thread().unwrap();
        let mut timeline = Timeline::new();
        let steps = [
            (Fork(1), Some(1)),
            (Begin(ImplicitBarrier), None),
            (BeginTask, None),
            (Fork(2), Some(2)),
            (Join(2), None),
            (EndTask, None),
            (End(ImplicitBarrier), Some(1)),
            (Join(1), None),
            (EndIdle(3), None),
            (Fork(4), Some(4)),
        ];
        for (what, forked) in steps {
            timeline.happens(what, 0, slot, None);
            assert_eq!(timeline.forked(), forked, "after {what:?}");
        }
    }

    #[test]
    fn the_short_way_through_a_region_is_as_any_other() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let area = shared.area();
        let play = |barrier: bool, quick: bool| {
            let (_, slot) = area.claim_thread().unwrap();
            let mut timeline = Timeline::new();
            timeline.start(slot, 0);
            let now = || (slot.now.load(Relaxed), slot.region.load(Relaxed), slot.since_ns());
            let mut seen = Vec::new();
            if quick {
                timeline.fork(1, 7, slot);
                if barrier {
                    timeline.arrive(9, slot);
                    seen.push(now());
                    timeline.leave_barrier(slot);
                } else {
                    timeline.work_until(9, slot);
                }
                seen.push(now());
                timeline.join_forked(slot);
            } else {
                timeline.happens(Fork(1), 7, slot, None);
                if barrier {
                    timeline.happens(Begin(ImplicitBarrier), 9, slot, None);
                    seen.push(now());
                    timeline.happens(End(ImplicitBarrier), 9, slot, None);
                    seen.push(now());
                } else {
                    seen.push((Work as u32, 1, 9));
                }
                timeline.happens(Join(1), 9, slot, None);
            }
            seen.push(now());
            let sums = [&slot.forks, &slot.joins, &slot.region_ns, &slot.region_min_ns, &slot.region_max_ns];
            let all = slot.spent_ns.iter().chain(&slot.begun).chain(sums).map(|sum| sum.load(Relaxed));
            (seen, all.collect::<Vec<_>>(), timeline.depth)
        };
        for barrier in [true, false] {
            assert_eq!(play(barrier, true), play(barrier, false));
        }
    }
}
