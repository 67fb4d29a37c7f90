//! A region that a thread is in: the thread's share of the phase, and the totals of the team, which its primary
//! thread records.

use std::sync::atomic::Ordering::Relaxed;

use super::Load;
use stat_layout::process_table::{add, raise};
use stat_layout::stat::instances::{Instance, Left, Phase, Share};
use stat_layout::stat::regions::RegionRow;

/// Upper bound for the time to create a team, which no event separates from the primary thread's own work.
const SETUP_NS: u64 = 1_000_000;
/// Upper bound for the time that a barrier by itself takes of each thread, if all have a processor.
pub(super) const BARRIER_NS: u64 = 30_000;

/// A region that a thread is in.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenRegion {
    pub(super) region: u64,
    /// Record that its members share; `None` for lack of space.
    pub(super) instance: Option<&'static Instance>,
    /// Row that a region forked by this thread is counted in, if there was one.
    pub(super) row: Option<&'static RegionRow>,
    pub(super) primary: bool,
    /// The share begins with the region's body, not with the fork.
    pub(super) is_start_known: bool,
    /// The phase has reached its barrier.
    pub(super) waits: bool,
    /// Barriers so far.
    pub(super) phase: u32,
    /// Size of the team, as far as its members have reported shares.
    pub(super) threads: u64,
    pub(super) forked: Load,
    pub(super) begin: Load,
    /// For a region that this thread forked: the longest running times of the phases so far.
    pub(super) longest_ns: u64,
    /// The thread's running time in the phases before this one.
    pub(super) whole_ns: u64,
    /// In this phase: time of the regions inside, and how much of it was not work.
    pub(super) inner_ns: u64,
    pub(super) inner_wait_ns: u64,
    /// For these regions, how much longer others ran than this thread.
    pub(super) inner_more_ns: u64,
    /// Waits up to the barrier.
    pub(super) waited_ns: u64,
    /// In this phase: gaps between tasks in the barrier that are too short to be waits for other threads' work.
    pub(super) gaps_ns: u64,
    /// In this phase: by how much the paths through the regions inside are longer than the time of this thread in them, or (wrapping)
    /// shorter.
    pub(super) inner_path_ns: u64,
    /// The path up to the barrier, or to the end of the last task in it.
    pub(super) barrier_path_ns: u64,
    /// For a region that this thread forked: the longest paths of the phases so far.
    pub(super) path_ns: u64,
    /// The part of the share that has been reported to the instance.
    pub(super) told: Share,
    pub(super) told_inner_ns: u64,
    /// Tasks up to this count do not belong to this region, or have been reported to the instance.
    pub(super) told_tasks: u64,
    /// Number of its tasks that have been reported to the instance.
    pub(super) known_tasks: u64,
    /// Shares of loops up to this count do not belong to this region, or have been reported to the instance.
    pub(super) told_chunks: u64,
}

impl OpenRegion {
    /// Placeholder for an entry that is not in use.
    pub(super) const NONE: Self = Self {
        region: 0,
        instance: None,
        row: None,
        primary: false,
        is_start_known: false,
        waits: false,
        phase: 0,
        threads: 0,
        forked: Load::NOTHING,
        begin: Load::NOTHING,
        longest_ns: 0,
        whole_ns: 0,
        inner_ns: 0,
        inner_wait_ns: 0,
        inner_more_ns: 0,
        waited_ns: 0,
        gaps_ns: 0,
        inner_path_ns: 0,
        barrier_path_ns: 0,
        path_ns: 0,
        told: Share { work_ns: 0, ran_ns: 0, waited_ns: 0, path_ns: 0 },
        told_inner_ns: 0,
        told_tasks: 0,
        known_tasks: 0,
        told_chunks: 0,
    };

    /// The thread's share of the phase up to now.
    pub(super) fn share(&self, now: Load) -> Share {
        let (work_ns, ran_ns) = now.since(self.begin);
        let ran_ns = ran_ns + self.inner_more_ns;
        let path_ns = if self.waits { self.barrier_path_ns } else { self.path(now) };
        Share { work_ns: work_ns + self.inner_wait_ns, ran_ns, waited_ns: self.waited_ns, path_ns: path_ns.max(ran_ns) }
    }

    /// The thread's path through the phase, if it works or has worked up to now: where it waited on the way, other threads worked.
    pub(super) fn path(&self, now: Load) -> u64 {
        let took_ns = now.at_ns.wrapping_sub(self.begin.at_ns);
        let held_ns = now.held_ns.wrapping_sub(self.begin.held_ns);
        let path_ns = took_ns.wrapping_sub(held_ns).wrapping_sub(self.gaps_ns).wrapping_add(self.inner_path_ns);
        path_ns.cast_signed().max(0).cast_unsigned()
    }

    /// The thread has passed the barrier: the next phase starts.
    pub(super) fn begin_phase(&mut self, now: Load) {
        self.whole_ns += self.share(now).ran_ns;
        self.phase = self.phase.wrapping_add(1);
        self.waits = false;
        self.begin = now;
        (self.inner_ns, self.inner_wait_ns, self.inner_more_ns) = (0, 0, 0);
        (self.inner_path_ns, self.gaps_ns) = (0, 0);
        if !self.primary {
            (self.told, self.told_inner_ns) = (Self::NONE.told, 0);
        }
    }

    /// Reports the time in regions inside to the instance, unless it has been reported.
    pub(super) fn tell_inner(&mut self, instance: &Instance) {
        if self.inner_ns > self.told_inner_ns {
            instance.nest(self.inner_ns - self.told_inner_ns);
            self.told_inner_ns = self.inner_ns;
        }
    }

    /// Reports the tasks that have begun to the instance, unless they have been reported.
    pub(super) fn tell_tasks(&mut self, instance: &Instance, now: Load) {
        let tasks = now.tasks.wrapping_sub(self.told_tasks);
        if tasks > 0 {
            instance.add_tasks(tasks);
            self.known_tasks += tasks;
            self.told_tasks = now.tasks;
        }
    }

    /// Reports the shares of loops to the instance, unless they have been reported.
    #[inline(always)]
    pub(super) fn tell_chunks(&mut self, instance: &Instance, now: Load) {
        let chunks = now.chunks.wrapping_sub(self.told_chunks);
        if chunks > 0 {
            instance.add_chunks(chunks);
            self.told_chunks = now.chunks;
        }
    }

    /// Records a phase of the whole team that has ended.
    pub(super) fn settle(&mut self, now: Load) {
        let own = self.share(now);
        let others = self.instance.map(|instance| instance.take(self.region, self.phase)).unwrap_or_default();
        self.longest_ns += own.ran_ns.max(others.max_ns);
        self.path_ns += own.path_ns.max(others.path_ns);
        let Some(row) = self.row else { return };
        let (threads, work_ns) = (others.members + 1, others.work_ns + own.work_ns);
        add(&row.work_ns, work_ns.saturating_sub(self.inner_ns));
        row.raise_threads(threads);
        if self.instance.is_none() {
            // How large the team is and how long its members work is not known, nor is what this thread has waited for.
            return;
        }
        self.threads = self.threads.max(threads);
        let present_ns = now.at_ns.wrapping_mul(threads).wrapping_sub(others.begin_ns.wrapping_add(self.begin.at_ns));
        // Clocks of several threads are compared: never below 0.
        let wait_ns = present_ns.wrapping_sub(work_ns).cast_signed().max(0).cast_unsigned();
        add(&row.wait_ns, wait_ns);
        let barrier_ns = if self.waits { wait_ns.saturating_sub(others.waited_ns + own.waited_ns) } else { 0 };
        add(&row.barrier_ns, barrier_ns);
        if others.members > 0 {
            let own_ns = self.without_setup(own.ran_ns, &others);
            let ran_ns = others.work_ns.saturating_sub(others.held_ns) + own_ns;
            let uneven_ns = (others.max_ns.max(own_ns) * threads).saturating_sub(ran_ns);
            // A thread that runs for less time, but lacks a processor meanwhile, does not wait for the others. Neither does the
            // thread that runs for longest; it waits for those.
            let own_is_longest = own.ran_ns >= others.max_ns;
            let longest_at_ns = if own_is_longest { own.end_ns(self.begin.at_ns) } else { others.longest_at_ns };
            let its_wait_ns = if longest_at_ns == 0 { 0 } else { now.at_ns.saturating_sub(longest_at_ns) };
            let imbalance_ns = uneven_ns.min(barrier_ns.saturating_sub(its_wait_ns));
            add(&row.shares_ns, ran_ns);
            let longest_ns = others.max_ns.max(own_ns) - (uneven_ns - imbalance_ns) / threads;
            add(&row.max_ns, longest_ns);
            add(&row.imbalance_ns, imbalance_ns);
            add(&row.gain_ns, imbalance_ns / threads);
            // A thread without a processor makes all others wait.
            let held_ns = others.held_ns + own.work_ns.saturating_sub(own.ran_ns);
            let no_processor_ns = (held_ns * (threads - 1)).min(barrier_ns - imbalance_ns);
            let late_ns = (barrier_ns - imbalance_ns - no_processor_ns).saturating_sub(BARRIER_NS * threads);
            if no_processor_ns + late_ns > 0 {
                add(&row.no_processor_ns, no_processor_ns);
                add(&row.late_ns, late_ns);
            }
        }
    }

    /// The primary thread's share, without the creation of the team. If the start of the body was not stamped, nothing separates that from
    /// its work: up to twice the time that the others took to begin is subtracted, since it may begin after them. Its share remains the
    /// largest if it was: the others may also begin late because they lack a processor.
    fn without_setup(&self, own_ns: u64, others: &Phase) -> u64 {
        if self.phase > 0 || self.is_start_known || own_ns <= others.max_ns {
            return own_ns;
        }
        let began_later_ns = others.begin_ns.wrapping_sub(self.begin.at_ns.wrapping_mul(others.members));
        let setup_ns = began_later_ns.cast_signed().max(0).cast_unsigned() / others.members.max(1) * 2;
        own_ns.saturating_sub(setup_ns.min(SETUP_NS)).max(others.max_ns)
    }

    /// Records the region.
    pub(super) fn end(&mut self, now: Load, took_ns: u64) {
        let rest_ns = if self.phase == 0 {
            // No barrier of it was seen.
            self.settle(now);
            0
        } else {
            let rest = self.share(now);
            self.longest_ns += rest.ran_ns;
            self.whole_ns += rest.ran_ns;
            self.path_ns += rest.path_ns;
            rest.work_ns.saturating_sub(self.inner_ns)
        };
        let left = self.instance.map(|instance| instance.close(self.region)).unwrap_or_default();
        let Left { inner_ns, tasks, chunks, whole_ns } = left;
        let tasks = tasks + now.tasks.wrapping_sub(self.told_tasks);
        let chunks = chunks + now.chunks.wrapping_sub(self.told_chunks);
        let Some(row) = self.row else { return };
        let work_ns = row.work_ns.load(Relaxed) + rest_ns;
        row.work_ns.store(work_ns.saturating_sub(inner_ns), Relaxed);
        add(&row.ended, 1);
        if whole_ns > 0 {
            // Without barriers in between, each thread would execute its shares one after the other.
            add(&row.phases_ns, self.longest_ns.saturating_sub(whole_ns.max(self.whole_ns)));
        }
        if tasks > 0 {
            add(&row.tasks, tasks);
        }
        if chunks > 0 {
            add(&row.chunks, chunks);
        }
        add(&row.total_ns, took_ns);
        if self.threads == 1 && row.threads.load(Relaxed) > 1 {
            add(&row.alone_ended, 1);
            add(&row.alone_ns, took_ns);
        }
        raise(&row.longest_ns, took_ns);
    }
}
