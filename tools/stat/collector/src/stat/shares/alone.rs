//! The region that a thread executes alone, as far as is known: it is added to its row as a whole at its end.
//!
//! Most of what [`Shares`] keeps about a region concerns its other members and its phases. A region of one thread has
//! neither, if only its last barrier comes before its end: then only its start is kept. Anything else hands the region over
//! to the shares, which treat it from then on as if it had started there.

use super::{Load, Shares};
use stat_layout::process_table::{add, raise};
use stat_layout::stat::instances::Instance;
use stat_layout::stat::path::Path;
use stat_layout::stat::regions::RegionRow;

/// An outermost region, at a place whose teams had one thread so far.
#[derive(Clone, Copy, Debug)]
pub(in crate::stat) struct Alone {
    region: u64,
    row: &'static RegionRow,
    instance: &'static Instance,
    begin: Load,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// In the region's body.
    Works,
    /// At its last barrier, which the thread has not left.
    Waits,
    /// Past that barrier.
    Passed,
}

impl Alone {
    /// The region that the thread forks now.
    #[inline(always)]
    pub(in crate::stat) fn begin(
        region: u64,
        row: &'static RegionRow,
        instance: &'static Instance,
        begin: Load,
    ) -> Self {
        add(&row.count, 1);
        Self { region, row, instance, begin, stage: Stage::Works }
    }

    /// The region's id.
    #[inline(always)]
    pub(in crate::stat) fn region(&self) -> u64 {
        self.region
    }

    /// True in the region's body.
    #[inline(always)]
    pub(in crate::stat) fn works(&self) -> bool {
        self.stage == Stage::Works
    }

    /// True past the region's last barrier.
    #[inline(always)]
    pub(in crate::stat) fn has_passed(&self) -> bool {
        self.stage == Stage::Passed
    }

    /// True in the region's body, as long as the thread has begun no task of it, which could wait in the barrier. `tasks` is
    /// the number of all that it has begun.
    #[inline(always)]
    pub(in crate::stat) fn is_without_tasks(&self, tasks: u64) -> bool {
        self.works() && self.begin.tasks == tasks
    }

    /// The thread arrives at the region's last barrier.
    #[inline(always)]
    pub(in crate::stat) fn arrive(&mut self) {
        self.stage = Stage::Waits;
    }

    /// True if no other member has reported a share. After the barrier all would have.
    #[inline(always)]
    pub(in crate::stat) fn is_without_others(&self) -> bool {
        self.instance.is_empty(self.region, 0)
    }

    /// True if the thread has waited for nobody at the barrier that it leaves.
    #[inline(always)]
    pub(in crate::stat) fn was_alone_at_barriers(&self) -> bool {
        self.stage == Stage::Waits && self.is_without_others()
    }

    /// The thread leaves the barrier.
    #[inline(always)]
    pub(in crate::stat) fn pass(&mut self) {
        self.stage = Stage::Passed;
    }

    /// Records the region, which ends.
    #[inline(always)]
    pub(in crate::stat) fn end(&self, now: Load) -> Path {
        let row = self.row;
        let took_ns = now.at_ns.saturating_sub(self.begin.at_ns);
        let work_ns = now.work_ns.saturating_sub(self.begin.work_ns);
        self.instance.leave_empty(self.region);
        add(&row.work_ns, work_ns);
        // Waits inside the region.
        if took_ns > work_ns {
            add(&row.wait_ns, took_ns - work_ns);
        }
        for (sum, more) in [
            (&row.tasks, now.tasks.wrapping_sub(self.begin.tasks)),
            (&row.chunks, now.chunks.wrapping_sub(self.begin.chunks)),
        ] {
            if more > 0 {
                add(sum, more);
            }
        }
        add(&row.ended, 1);
        add(&row.total_ns, took_ns);
        raise(&row.longest_ns, took_ns);
        Path { more_ns: 0, waits_ns: took_ns.saturating_sub(work_ns) }
    }

    /// Gives the region to the shares, as of the thread's last event.
    #[cold]
    pub(in crate::stat) fn hand_over(&self, shares: &mut Shares, now: Load) {
        shares.open(self.region, self.begin, Some(self.instance), Some(self.row));
        if !self.works() {
            shares.arrive(now);
        }
        if self.has_passed() {
            shares.depart(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stat_layout::area::SharedArea;
    use stat_layout::stat::layout::Area;
    use std::sync::atomic::Ordering::Relaxed;

    fn at(at_ns: u64, work_ns: u64, tasks: u64) -> Load {
        Load { at_ns, work_ns, held_ns: 0, tasks, chunks: 2 * tasks }
    }

    fn row_of(end: impl Fn(Alone, &mut Shares)) -> (Vec<u64>, Shares) {
        let shared = Box::leak(Box::new(SharedArea::<Area>::create(0).unwrap()));
        let area = shared.area();
        let row = area.regions.row(0, 0x1000).unwrap();
        raise(&row.threads, 1);
        let instance = area.instances(0).unwrap().open(1).unwrap();
        let mut shares = Shares::new();
        end(Alone::begin(1, row, instance, at(100, 10, 3)), &mut shares);
        let sums = [&row.count, &row.ended, &row.total_ns, &row.longest_ns, &row.work_ns, &row.wait_ns, &row.threads];
        let waits = [&row.barrier_ns, &row.imbalance_ns, &row.late_ns, &row.tasks, &row.chunks, &row.nested];
        (sums.into_iter().chain(waits).map(|sum| sum.load(Relaxed)).collect(), shares)
    }

    /// A region's row is the same at whichever stage the region is handed over, or if it is recorded directly.
    #[test]
    fn a_region_counts_the_same_whoever_books_it() {
        let booked = |stages: &[fn(&mut Alone)], handed_over: bool| {
            let (row, shares) = row_of(|mut alone, shares| {
                stages.iter().for_each(|stage| stage(&mut alone));
                let end = at(160, 60, 5);
                if !handed_over {
                    alone.end(end);
                    return;
                }
                alone.hand_over(shares, end);
                if stages.is_empty() {
                    shares.arrive(end);
                }
                if stages.len() < 2 {
                    shares.depart(end);
                }
                shares.join(1, end);
            });
            assert!(shares.is_empty());
            row
        };
        let at_once = booked(&[Alone::arrive, Alone::pass], false);
        assert_eq!(at_once, [1, 1, 60, 60, 50, 10, 1, 0, 0, 0, 2, 4, 0]);
        let stages: [fn(&mut Alone); 2] = [Alone::arrive, Alone::pass];
        for passed in 0..=stages.len() {
            assert_eq!(booked(&stages[..passed], true), at_once, "{passed}");
        }
    }

    #[test]
    fn a_member_or_a_task_ends_it() {
        row_of(|mut alone, _| {
            assert!(alone.is_without_tasks(3) && !alone.is_without_tasks(4) && alone.is_without_others());
            assert!(!alone.was_alone_at_barriers(), "it works");
            alone.arrive();
            assert!(alone.was_alone_at_barriers() && !alone.is_without_tasks(3));
            alone.instance.arrive(0, Default::default(), 100);
            assert!(!alone.was_alone_at_barriers());
        });
    }
}
