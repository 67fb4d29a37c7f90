//! A thread's shares of the regions that it is in, by phase: from the region's start, or its last barrier, to the
//! next one.
//!
//! A thread's work is the wall time for which it worked, in tasks as well, and for regions inside this one the time from fork
//! to join. A thread's wait in a phase is the rest of the time up to the end of the barrier. Imbalance is calculated from the
//! time that threads ran: work without the time for which they were ready without a processor, and for regions inside the
//! longest running times of their teams. A thread that lacks a processor does not cause imbalance; its peers wait for a
//! processor then.
//!
//! The path through a phase is the longest chain of work in it, one piece after the other: for the thread with the longest one, its
//! running time and its waits on the way, in which other threads ran what it waited for. The wait at the barrier is not included: the
//! longest path does not have one.

use std::sync::atomic::Ordering::Relaxed;

pub(super) use alone::Alone;
pub(super) use load::Load;
use open_region::OpenRegion;
use stat_layout::process_table::add;
use stat_layout::stat::instances::{Instance, Instances, Share};
use stat_layout::stat::path::Path;
use stat_layout::stat::regions::RegionRow;

mod alone;
mod load;
mod open_region;
#[cfg(test)]
mod tests;

/// Greatest depth of nested regions that are distinguished. A region that is nested deeper counts as work of the one at this depth.
const DEPTH: usize = 8;
/// A member that continues with tasks in a barrier reports its share again when that has grown by this part, and by
/// this much.
const GROWTH: u64 = 32;
const GROWTH_NS: u64 = 1000;
/// The part by which its path, from the region's start to the last task, has to have grown.
const PATH_GROWTH: u64 = 256;
/// Waits for a task that are shorter than this are the runtime's own. In longer ones other threads work on what the
/// task waits for.
const GAP_NS: u64 = 20_000;

/// The regions that a thread is in, the innermost last.
#[derive(Debug)]
pub(super) struct Shares {
    open: [OpenRegion; DEPTH],
    depth: usize,
    /// Number of regions that did not fit.
    beyond: u32,
}

impl Shares {
    /// In no region.
    pub(super) const fn new() -> Self {
        Self { open: [OpenRegion::NONE; DEPTH], depth: 0, beyond: 0 }
    }

    /// Leaves all regions.
    pub(super) fn clear(&mut self) {
        self.depth = 0;
        self.beyond = 0;
    }

    /// The thread forks a region.
    pub(super) fn fork(
        &mut self,
        region: u64,
        now: Load,
        instances: Option<&'static Instances>,
        row: Option<&'static RegionRow>,
    ) {
        if let Some(row) = row {
            add(&row.count, 1);
            if self.depth > 0 {
                add(&row.nested, 1);
            }
        }
        if self.depth == DEPTH {
            self.beyond += 1;
            row.inspect(|row| add(&row.too_deep, 1));
            return;
        }
        self.open(region, now, instances.and_then(|all| all.open(region)), row);
    }

    /// True if the innermost region is nested too deep to have times of its own.
    #[inline(always)]
    pub(super) fn is_too_deep(&self) -> bool {
        self.beyond > 0
    }

    /// Starts the body of the region that the thread forked last.
    pub(super) fn begin_body(&mut self, region: u64, now: Load) {
        let first =
            self.innermost().filter(|open| open.primary && open.region == region && open.phase == 0 && !open.waits);
        if let Some(open) = first {
            open.begin = now;
            open.is_start_known = true;
        }
    }

    /// True if the thread is in no region.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.depth == 0 && self.beyond == 0
    }

    /// Makes a region that the thread forked at that moment the innermost one.
    fn open(&mut self, region: u64, now: Load, instance: Option<&'static Instance>, row: Option<&'static RegionRow>) {
        self.push(OpenRegion {
            region,
            instance,
            row,
            primary: true,
            forked: now,
            begin: now,
            told_tasks: now.tasks,
            told_chunks: now.chunks,
            ..OpenRegion::NONE
        });
    }

    /// A worker starts its share of a region.
    pub(super) fn serve(&mut self, region: u64, now: Load, instances: Option<&'static Instances>) {
        self.clear();
        let instance = instances.and_then(|all| all.find(region));
        let (told_tasks, told_chunks) = (now.tasks, now.chunks);
        self.push(OpenRegion {
            region,
            instance,
            forked: now,
            begin: now,
            told_tasks,
            told_chunks,
            ..OpenRegion::NONE
        });
    }

    /// The thread has come to a barrier.
    pub(super) fn arrive(&mut self, now: Load) {
        let Some(open) = self.innermost() else { return };
        let share = open.share(now);
        open.barrier_path_ns = share.path_ns;
        open.waits = true;
        open.waited_ns = now.at_ns.saturating_sub(open.begin.at_ns).saturating_sub(share.work_ns);
        if let Some(instance) = open.instance.filter(|_| !open.primary) {
            open.told = Share { waited_ns: open.waited_ns, ..share };
            instance.arrive(open.phase, open.told, open.begin.at_ns);
            if open.phase > 0 {
                instance.add_up(open.whole_ns + share.ran_ns);
            }
            open.tell_inner(instance);
            open.tell_tasks(instance, now);
            open.tell_chunks(instance, now);
        }
    }

    /// True if the thread is at a barrier of a region that it executes alone, and in which it has begun no task: there is nothing to wait
    /// for. After the barrier all others would have arrived.
    #[inline(always)]
    pub(super) fn is_alone(&self, tasks: u64) -> bool {
        let Some(open) = self.depth.checked_sub(1).filter(|_| self.beyond == 0).and_then(|last| self.open.get(last))
        else {
            return false;
        };
        open.primary
            && open.waits
            && open.told_tasks == tasks
            // Members may have had no space to report their presence, which the earlier teams show.
            && open.row.is_some_and(|row| row.threads.load(Relaxed) <= 1)
            && open.instance.is_some_and(|instance| instance.is_empty(open.region, open.phase))
    }

    /// An explicit task begins, `gap_ns` after the thread's last event. In a barrier the thread had no task
    /// meanwhile.
    pub(super) fn task_begun(&mut self, gap_ns: u64) {
        if gap_ns < GAP_NS
            && let Some(open) = self.innermost().filter(|open| open.waits)
        {
            open.gaps_ns += gap_ns;
        }
    }

    /// An explicit task has ended. In a barrier, it makes the share larger.
    pub(super) fn task_ended(&mut self, now: Load) {
        let Some(open) = self.innermost().filter(|open| open.waits) else { return };
        open.barrier_path_ns = open.path(now);
        let Some(instance) = open.instance.filter(|_| !open.primary) else { return };
        if now.tasks.wrapping_sub(open.told_tasks) > open.known_tasks / GROWTH {
            open.tell_tasks(instance, now);
        }
        let share = open.share(now);
        let more_ns = share.work_ns.saturating_sub(open.told.work_ns);
        if more_ns > GROWTH_NS && more_ns > open.told.work_ns / GROWTH {
            instance.grow(open.phase, share, open.told, open.begin.at_ns);
            open.told = share;
            open.tell_inner(instance);
        } else if share.path_ns.saturating_sub(open.told.path_ns) > GAP_NS.max(open.told.path_ns / PATH_GROWTH) {
            instance.follow(open.phase, share);
            open.told.path_ns = share.path_ns;
        }
    }

    /// The thread has passed the barrier.
    pub(super) fn depart(&mut self, now: Load) {
        let Some(open) = self.innermost().filter(|open| open.waits) else { return };
        if open.primary {
            open.settle(now);
        }
        open.begin_phase(now);
    }

    /// The thread has joined a region that it forked. Returns the path of an outermost region.
    pub(super) fn join(&mut self, region: u64, now: Load) -> Path {
        if self.beyond > 0 {
            self.beyond -= 1;
            return Path::default();
        }
        if !self.innermost().is_some_and(|open| open.region == region && open.primary) && !self.leave_open(region) {
            return Path::default();
        }
        self.depth -= 1;
        let depth = self.depth;
        let Some(ended) = self.open.get_mut(depth) else { return Path::default() };
        let took_ns = now.at_ns.saturating_sub(ended.forked.at_ns);
        let (work_ns, ran_ns) = now.since(ended.forked);
        ended.end(now, took_ns);
        let (longest_ns, path_ns) = (ended.longest_ns, ended.path_ns);
        let (told_tasks, told_chunks) = (ended.told_tasks, ended.told_chunks);
        let held_ns = now.held_ns.wrapping_sub(ended.forked.held_ns);
        let Some(outer) = self.innermost() else {
            return Path { more_ns: longest_ns.saturating_sub(ran_ns), waits_ns: path_ns.saturating_sub(longest_ns) };
        };
        outer.told_tasks = outer.told_tasks.wrapping_add(now.tasks.wrapping_sub(told_tasks));
        outer.told_chunks = outer.told_chunks.wrapping_add(now.chunks.wrapping_sub(told_chunks));
        outer.inner_ns += took_ns;
        outer.inner_wait_ns += took_ns.saturating_sub(work_ns);
        outer.inner_more_ns += longest_ns.saturating_sub(ran_ns);
        outer.inner_path_ns = outer.inner_path_ns.wrapping_add(path_ns).wrapping_sub(took_ns.wrapping_sub(held_ns));
        Path::default()
    }

    /// Closes the regions that a jump left open inside a region that the thread forked. Returns false if there is no
    /// such region.
    #[cold]
    fn leave_open(&mut self, region: u64) -> bool {
        let open = self.open.get(..self.depth).unwrap_or_default();
        let Some(depth) = open.iter().rposition(|open| open.region == region && open.primary) else { return false };
        for left in open.iter().skip(depth + 1).filter(|open| open.primary) {
            if let Some(instance) = left.instance {
                instance.close(left.region);
            }
        }
        self.depth = depth + 1;
        true
    }

    fn push(&mut self, new: OpenRegion) {
        if let Some(open) = self.open.get_mut(self.depth) {
            *open = new;
            self.depth += 1;
        }
    }

    fn innermost(&mut self) -> Option<&mut OpenRegion> {
        if self.beyond > 0 {
            return None;
        }
        self.open.get_mut(self.depth.checked_sub(1)?)
    }
}
