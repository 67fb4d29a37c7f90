//! The region that a thread joins, which needn't be asked for where nothing is left open in it.

use super::{Activity, Frame, Timeline};

impl Timeline {
    /// The region that the thread has forked and works on, if that is the innermost thing it does.
    #[inline(always)]
    pub(in crate::stat) fn forked(&self) -> Option<u64> {
        // Around all others there may be a region that a worker serves.
        let at_work = |top: &Frame| top.activity == Activity::Work && !top.is_task && top.region != 0;
        let is_known = self.depth > 1 && self.beyond == 0;
        Some(self.top()).filter(|top| is_known && at_work(top)).map(|top| top.region)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Happening::*;
    use super::*;
    use crate::area::SharedArea;
    use crate::stat::layout::Activity::*;
    use crate::stat::layout::Area;

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
}
