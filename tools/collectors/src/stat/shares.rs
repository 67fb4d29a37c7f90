//! A thread's shares of the regions that it is in, by phase: from the region's begin, or its last barrier, to the next one.
//!
//! The share of a thread is the wall time in which it worked, in tasks too, and of regions inside of this one the time from
//! fork to join. ([`Load`] is where another measure of work would come in.) What a thread waits in a phase is
//! the rest of the time up to the end of the barrier.

use std::sync::atomic::Ordering::Relaxed;

use super::instances::{Instance, Instances, Phase};
use super::regions::RegionRow;
use crate::roll::{add, raise};

/// Regions inside each other that are told apart. One that is nested deeper counts as work of the one at this depth.
const DEPTH: usize = 8;
/// A member that goes on with tasks in a barrier tells of it when its share has grown by this part, and by this much.
const GROWTH: u64 = 32;
const GROWTH_NS: u64 = 1000;
/// The most that is taken for the making of a team, which no event tells from the primary thread's own work.
const SETUP_NS: u64 = 1_000_000;

/// One moment of a thread: the time, and its work in regions up to then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) at_ns: u64,
    pub(super) work_ns: u64,
}

/// The regions that a thread is in, the innermost last.
#[derive(Debug)]
pub(super) struct Shares {
    open: [Open; DEPTH],
    depth: usize,
    /// Regions that found no place.
    beyond: u32,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    region: u64,
    /// Where its members meet; `None`: there was no room.
    instance: Option<&'static Instance>,
    /// Of a region that this thread forked: where it counts, if there was a row.
    row: Option<&'static RegionRow>,
    primary: bool,
    /// The phase has come to its barrier.
    waits: bool,
    /// Barriers so far.
    phase: u32,
    forked: Load,
    begin: Load,
    /// In this phase: of regions inside, their time, and how much of it was no work.
    inner_ns: u64,
    inner_wait_ns: u64,
    /// How much of the share the others know.
    told_ns: u64,
    told_inner_ns: u64,
}

const NONE: Open = Open {
    region: 0,
    instance: None,
    row: None,
    primary: false,
    waits: false,
    phase: 0,
    forked: Load { at_ns: 0, work_ns: 0 },
    begin: Load { at_ns: 0, work_ns: 0 },
    inner_ns: 0,
    inner_wait_ns: 0,
    told_ns: 0,
    told_inner_ns: 0,
};

impl Shares {
    /// In no region.
    pub(super) const fn new() -> Self {
        Self { open: [NONE; DEPTH], depth: 0, beyond: 0 }
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
            return;
        }
        let instance = instances.and_then(|all| all.open(region));
        self.push(Open { region, instance, row, primary: true, forked: now, begin: now, ..NONE });
    }

    /// A worker begins its share of a region.
    pub(super) fn serve(&mut self, region: u64, now: Load, instances: Option<&'static Instances>) {
        self.clear();
        let instance = instances.and_then(|all| all.find(region));
        self.push(Open { region, instance, forked: now, begin: now, ..NONE });
    }

    /// The thread has come to a barrier.
    pub(super) fn arrive(&mut self, now: Load) {
        let Some(open) = self.innermost() else { return };
        open.waits = true;
        if let Some(instance) = open.instance.filter(|_| !open.primary) {
            let share_ns = open.share_ns(now);
            instance.arrive(open.phase, share_ns, open.begin.at_ns);
            open.told_ns = share_ns;
            open.tell_inner(instance);
        }
    }

    /// An explicit task has ended. In a barrier, it makes the share larger.
    pub(super) fn task_ended(&mut self, now: Load) {
        let Some(open) = self.innermost().filter(|open| open.waits && !open.primary) else { return };
        let Some(instance) = open.instance else { return };
        let share_ns = open.share_ns(now);
        let more_ns = share_ns.saturating_sub(open.told_ns);
        if more_ns > GROWTH_NS && more_ns > open.told_ns / GROWTH {
            instance.grow(open.phase, more_ns, share_ns);
            open.told_ns = share_ns;
            open.tell_inner(instance);
        }
    }

    /// The barrier is behind the thread.
    pub(super) fn depart(&mut self, now: Load) {
        let Some(open) = self.innermost().filter(|open| open.waits) else { return };
        if open.primary {
            open.settle(now);
        }
        open.begin_phase(now);
    }

    /// The thread has joined a region that it forked.
    pub(super) fn join(&mut self, region: u64, now: Load) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let open = self.open.get(..self.depth).unwrap_or_default();
        let Some(depth) = open.iter().rposition(|open| open.region == region && open.primary) else { return };
        // What a jump left open inside of it is over, too.
        for left in open.iter().skip(depth + 1).filter(|open| open.primary) {
            if let Some(instance) = left.instance {
                instance.close(left.region);
            }
        }
        self.depth = depth;
        let Some(ended) = self.open.get_mut(depth) else { return };
        let took_ns = now.at_ns.saturating_sub(ended.forked.at_ns);
        let work_ns = now.work_ns.saturating_sub(ended.forked.work_ns);
        ended.end(now, took_ns);
        if let Some(outer) = self.innermost() {
            outer.inner_ns += took_ns;
            outer.inner_wait_ns += took_ns.saturating_sub(work_ns);
        }
    }

    fn push(&mut self, new: Open) {
        if let Some(open) = self.open.get_mut(self.depth) {
            *open = new;
            self.depth += 1;
        }
    }

    fn innermost(&mut self) -> Option<&mut Open> {
        if self.beyond > 0 {
            return None;
        }
        self.open.get_mut(self.depth.checked_sub(1)?)
    }
}

impl Open {
    fn share_ns(&self, now: Load) -> u64 {
        now.work_ns.saturating_sub(self.begin.work_ns) + self.inner_wait_ns
    }

    fn begin_phase(&mut self, now: Load) {
        self.phase = self.phase.wrapping_add(1);
        self.waits = false;
        self.begin = now;
        (self.inner_ns, self.inner_wait_ns, self.told_ns, self.told_inner_ns) = (0, 0, 0, 0);
    }

    fn tell_inner(&mut self, instance: &Instance) {
        if self.inner_ns > self.told_inner_ns {
            instance.nest(self.inner_ns - self.told_inner_ns);
            self.told_inner_ns = self.inner_ns;
        }
    }

    /// Books a phase that has come to its end, of the whole team.
    fn settle(&self, now: Load) {
        let own_ns = self.share_ns(now);
        let Phase { members, sum_ns, max_ns, begin_ns } =
            self.instance.map(|instance| instance.take(self.region, self.phase)).unwrap_or_default();
        let Some(row) = self.row else { return };
        let (threads, shares_ns) = (members + 1, sum_ns + own_ns);
        let present_ns = now.at_ns.wrapping_mul(threads).wrapping_sub(begin_ns.wrapping_add(self.begin.at_ns));
        // Clocks of several threads are compared: never below 0.
        let wait_ns = present_ns.wrapping_sub(shares_ns).cast_signed().max(0).cast_unsigned();
        add(&row.work_ns, shares_ns.saturating_sub(self.inner_ns));
        add(&row.wait_ns, wait_ns);
        raise(&row.threads, threads);
        if let Some(others_begin_ns) = begin_ns.checked_div(members) {
            let own_ns = self.without_setup(own_ns, max_ns, others_begin_ns);
            let (shares_ns, max_ns) = (sum_ns + own_ns, max_ns.max(own_ns));
            let imbalance_ns = (max_ns * threads).saturating_sub(shares_ns);
            add(&row.shares_ns, shares_ns);
            add(&row.max_ns, max_ns);
            add(&row.imbalance_ns, imbalance_ns);
            add(&row.gain_ns, imbalance_ns / threads);
        }
    }

    /// The primary thread's share, without the making of the team, which no event tells from its work: up to twice the time that
    /// the others took to begin, since it may begin behind them. Its share stays the largest if it was: the others may
    /// also begin late for want of a processor.
    fn without_setup(&self, own_ns: u64, others_max_ns: u64, others_begin_ns: u64) -> u64 {
        if self.phase > 0 || own_ns <= others_max_ns {
            return own_ns;
        }
        let setup_ns = others_begin_ns.saturating_sub(self.begin.at_ns) * 2;
        own_ns.saturating_sub(setup_ns.min(SETUP_NS)).max(others_max_ns)
    }

    /// Books the region.
    fn end(&self, now: Load, took_ns: u64) {
        if self.phase == 0 {
            // No barrier of it was seen.
            self.settle(now);
        }
        let inner_ns = self.instance.map_or(0, |instance| instance.close(self.region));
        let Some(row) = self.row else { return };
        if self.instance.is_none() {
            add(&row.unmeasured, 1);
        }
        let rest_ns = if self.phase == 0 { 0 } else { self.share_ns(now).saturating_sub(self.inner_ns) };
        let work_ns = row.work_ns.load(Relaxed) + rest_ns;
        row.work_ns.store(work_ns.saturating_sub(inner_ns), Relaxed);
        add(&row.ended, 1);
        add(&row.total_ns, took_ns);
        raise(&row.longest_ns, took_ns);
    }
}
