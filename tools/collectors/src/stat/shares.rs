//! A thread's shares of the regions that it is in, by phase: from the region's begin, or its last barrier, to the next one.
//!
//! A thread's work is the wall time in which it worked, in tasks too, and of regions inside of this one the time from fork to
//! join. What a thread waits in a phase is the rest of the time up to the end of the barrier. Imbalance goes by the time that
//! threads ran: work without what they were ready without a processor, and of regions inside the longest running times of
//! their teams. A thread that is held up is no imbalance; its peers wait for a processor then.

use std::sync::atomic::Ordering::Relaxed;

use super::instances::{Instance, Instances, Share};
use super::regions::RegionRow;
use crate::roll::{add, raise};

/// Regions inside each other that are told apart. One that is nested deeper counts as work of the one at this depth.
const DEPTH: usize = 8;
/// A member that goes on with tasks in a barrier tells of it when its share has grown by this part, and by this much.
const GROWTH: u64 = 32;
const GROWTH_NS: u64 = 1000;
/// The most that is taken for the making of a team, which no event tells from the primary thread's own work.
const SETUP_NS: u64 = 1_000_000;
/// What a barrier takes of each thread by itself, at the most, where all have a processor.
const BARRIER_NS: u64 = 30_000;

/// One moment of a thread: the time, its work in regions up to then, and how much of that it had no processor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) at_ns: u64,
    pub(super) work_ns: u64,
    pub(super) held_ns: u64,
    /// Explicit tasks that it has begun.
    pub(super) tasks: u64,
    /// Shares of loops that it has got.
    pub(super) chunks: u64,
}

impl Load {
    /// Work since then, and how much of it ran.
    fn since(&self, begin: Load) -> (u64, u64) {
        let work_ns = self.work_ns.saturating_sub(begin.work_ns);
        (work_ns, work_ns.saturating_sub(self.held_ns.wrapping_sub(begin.held_ns)))
    }
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
    /// Of a region that this thread forked: the longest running times of the phases so far.
    longest_ns: u64,
    /// In this phase: of regions inside, their time, and how much of it was no work.
    inner_ns: u64,
    inner_wait_ns: u64,
    /// Of the same, how much longer others ran than this thread.
    inner_more_ns: u64,
    /// Waits up to the barrier.
    waited_ns: u64,
    /// How much of the share the others know.
    told: Share,
    told_inner_ns: u64,
    /// Tasks up to here are none of this region's, or the others know of them.
    told_tasks: u64,
    /// So many of its tasks do the others know of.
    known_tasks: u64,
    /// Shares of loops up to here are none of this region's, or the others know of them.
    told_chunks: u64,
}

const NOTHING: Load = Load { at_ns: 0, work_ns: 0, held_ns: 0, tasks: 0, chunks: 0 };

const NONE: Open = Open {
    region: 0,
    instance: None,
    row: None,
    primary: false,
    waits: false,
    phase: 0,
    forked: NOTHING,
    begin: NOTHING,
    longest_ns: 0,
    inner_ns: 0,
    inner_wait_ns: 0,
    inner_more_ns: 0,
    waited_ns: 0,
    told: Share { work_ns: 0, ran_ns: 0, waited_ns: 0 },
    told_inner_ns: 0,
    told_tasks: 0,
    known_tasks: 0,
    told_chunks: 0,
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
        self.push(Open {
            region,
            instance,
            row,
            primary: true,
            forked: now,
            begin: now,
            told_tasks: now.tasks,
            told_chunks: now.chunks,
            ..NONE
        });
    }

    /// A worker begins its share of a region.
    pub(super) fn serve(&mut self, region: u64, now: Load, instances: Option<&'static Instances>) {
        self.clear();
        let instance = instances.and_then(|all| all.find(region));
        let (told_tasks, told_chunks) = (now.tasks, now.chunks);
        self.push(Open { region, instance, forked: now, begin: now, told_tasks, told_chunks, ..NONE });
    }

    /// The thread has come to a barrier.
    pub(super) fn arrive(&mut self, now: Load) {
        let Some(open) = self.innermost() else { return };
        let share = open.share(now);
        open.waits = true;
        open.waited_ns = now.at_ns.saturating_sub(open.begin.at_ns).saturating_sub(share.work_ns);
        if let Some(instance) = open.instance.filter(|_| !open.primary) {
            open.told = Share { waited_ns: open.waited_ns, ..share };
            instance.arrive(open.phase, open.told, open.begin.at_ns);
            open.tell_inner(instance);
            open.tell_tasks(instance, now);
            open.tell_chunks(instance, now);
        }
    }

    /// True if the thread is at a barrier of a region that it executes alone, and in which it has begun no task: there is nothing to wait
    /// for. Behind the barrier all others would have arrived.
    #[inline(always)]
    pub(super) fn is_alone(&self, tasks: u64) -> bool {
        let Some(open) = self.depth.checked_sub(1).filter(|_| self.beyond == 0).and_then(|last| self.open.get(last))
        else {
            return false;
        };
        open.primary
            && open.waits
            && open.told_tasks == tasks
            // There may be no room for members to say that they are there, which the teams before show.
            && open.row.is_some_and(|row| row.threads.load(Relaxed) <= 1)
            && open.instance.is_some_and(|instance| instance.is_empty(open.region, open.phase))
    }

    /// An explicit task has ended. In a barrier, it makes the share larger.
    pub(super) fn task_ended(&mut self, now: Load) {
        let Some(open) = self.innermost().filter(|open| open.waits && !open.primary) else { return };
        let Some(instance) = open.instance else { return };
        if now.tasks.wrapping_sub(open.told_tasks) > open.known_tasks / GROWTH {
            open.tell_tasks(instance, now);
        }
        let share = open.share(now);
        let more_ns = share.work_ns.saturating_sub(open.told.work_ns);
        if more_ns > GROWTH_NS && more_ns > open.told.work_ns / GROWTH {
            instance.grow(open.phase, share, open.told, open.begin.at_ns);
            open.told = share;
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
        if !self.innermost().is_some_and(|open| open.region == region && open.primary) && !self.leave_open(region) {
            return;
        }
        self.depth -= 1;
        let depth = self.depth;
        let Some(ended) = self.open.get_mut(depth) else { return };
        let took_ns = now.at_ns.saturating_sub(ended.forked.at_ns);
        let (work_ns, ran_ns) = now.since(ended.forked);
        ended.end(now, took_ns);
        let (longest_ns, told_tasks, told_chunks) = (ended.longest_ns, ended.told_tasks, ended.told_chunks);
        if let Some(outer) = self.innermost() {
            outer.told_tasks = outer.told_tasks.wrapping_add(now.tasks.wrapping_sub(told_tasks));
            outer.told_chunks = outer.told_chunks.wrapping_add(now.chunks.wrapping_sub(told_chunks));
            outer.inner_ns += took_ns;
            outer.inner_wait_ns += took_ns.saturating_sub(work_ns);
            outer.inner_more_ns += longest_ns.saturating_sub(ran_ns);
        }
    }

    /// What a jump left open inside of a region that the thread has forked is over. False: there is no such region.
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
    fn share(&self, now: Load) -> Share {
        let (work_ns, ran_ns) = now.since(self.begin);
        Share { work_ns: work_ns + self.inner_wait_ns, ran_ns: ran_ns + self.inner_more_ns, waited_ns: self.waited_ns }
    }

    fn begin_phase(&mut self, now: Load) {
        self.phase = self.phase.wrapping_add(1);
        self.waits = false;
        self.begin = now;
        (self.inner_ns, self.inner_wait_ns, self.inner_more_ns) = (0, 0, 0);
        if !self.primary {
            (self.told, self.told_inner_ns) = (NONE.told, 0);
        }
    }

    fn tell_inner(&mut self, instance: &Instance) {
        if self.inner_ns > self.told_inner_ns {
            instance.nest(self.inner_ns - self.told_inner_ns);
            self.told_inner_ns = self.inner_ns;
        }
    }

    fn tell_tasks(&mut self, instance: &Instance, now: Load) {
        let tasks = now.tasks.wrapping_sub(self.told_tasks);
        if tasks > 0 {
            instance.add_tasks(tasks);
            self.known_tasks += tasks;
            self.told_tasks = now.tasks;
        }
    }

    #[inline(always)]
    fn tell_chunks(&mut self, instance: &Instance, now: Load) {
        let chunks = now.chunks.wrapping_sub(self.told_chunks);
        if chunks > 0 {
            instance.add_chunks(chunks);
            self.told_chunks = now.chunks;
        }
    }

    /// Books a phase that has come to its end, of the whole team.
    fn settle(&mut self, now: Load) {
        let own = self.share(now);
        let others = self.instance.map(|instance| instance.take(self.region, self.phase)).unwrap_or_default();
        self.longest_ns += own.ran_ns.max(others.max_ns);
        let Some(row) = self.row else { return };
        let (threads, work_ns) = (others.members + 1, others.work_ns + own.work_ns);
        let present_ns = now.at_ns.wrapping_mul(threads).wrapping_sub(others.begin_ns.wrapping_add(self.begin.at_ns));
        // Clocks of several threads are compared: never below 0.
        let wait_ns = present_ns.wrapping_sub(work_ns).cast_signed().max(0).cast_unsigned();
        add(&row.work_ns, work_ns.saturating_sub(self.inner_ns));
        add(&row.wait_ns, wait_ns);
        raise(&row.threads, threads);
        let barrier_ns = if self.waits { wait_ns.saturating_sub(others.waited_ns + own.waited_ns) } else { 0 };
        add(&row.barrier_ns, barrier_ns);
        if let Some(others_begin_ns) = others.begin_ns.checked_div(others.members) {
            let own_ns = self.without_setup(own.ran_ns, others.max_ns, others_begin_ns);
            let ran_ns = others.work_ns.saturating_sub(others.held_ns) + own_ns;
            let uneven_ns = (others.max_ns.max(own_ns) * threads).saturating_sub(ran_ns);
            // Who runs for less time, but has no processor meanwhile, does not wait for the others. Nor does the one that runs
            // for longest; it waits for those.
            let own_is_longest = own.ran_ns >= others.max_ns;
            let longest_at_ns = if own_is_longest { own.end_ns(self.begin.at_ns) } else { others.longest_at_ns };
            let its_wait_ns = if longest_at_ns == 0 { 0 } else { now.at_ns.saturating_sub(longest_at_ns) };
            let imbalance_ns = uneven_ns.min(barrier_ns.saturating_sub(its_wait_ns));
            add(&row.shares_ns, ran_ns);
            let longest_ns = others.max_ns.max(own_ns) - (uneven_ns - imbalance_ns) / threads;
            add(&row.max_ns, longest_ns);
            add(&row.imbalance_ns, imbalance_ns);
            add(&row.gain_ns, imbalance_ns / threads);
            // One that has no processor makes all others wait.
            let held_ns = others.held_ns + own.work_ns.saturating_sub(own.ran_ns);
            let no_processor_ns = (held_ns * (threads - 1)).min(barrier_ns - imbalance_ns);
            let late_ns = (barrier_ns - imbalance_ns - no_processor_ns).saturating_sub(BARRIER_NS * threads);
            if no_processor_ns + late_ns > 0 {
                add(&row.no_processor_ns, no_processor_ns);
                add(&row.late_ns, late_ns);
            }
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
    fn end(&mut self, now: Load, took_ns: u64) {
        let rest_ns = if self.phase == 0 {
            // No barrier of it was seen.
            self.settle(now);
            0
        } else {
            let rest = self.share(now);
            self.longest_ns += rest.ran_ns;
            rest.work_ns.saturating_sub(self.inner_ns)
        };
        let (inner_ns, tasks, chunks) = self.instance.map_or((0, 0, 0), |instance| instance.close(self.region));
        let tasks = tasks + now.tasks.wrapping_sub(self.told_tasks);
        let chunks = chunks + now.chunks.wrapping_sub(self.told_chunks);
        let Some(row) = self.row else { return };
        let work_ns = row.work_ns.load(Relaxed) + rest_ns;
        row.work_ns.store(work_ns.saturating_sub(inner_ns), Relaxed);
        add(&row.ended, 1);
        if tasks > 0 {
            add(&row.tasks, tasks);
        }
        if chunks > 0 {
            add(&row.chunks, chunks);
        }
        add(&row.total_ns, took_ns);
        raise(&row.longest_ns, took_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;
    use crate::stat::layout::Area;

    struct Team {
        area: &'static Area,
        row: &'static RegionRow,
        threads: Vec<Shares>,
    }

    /// A moment: the time, the work up to then, and how much of that had no processor.
    fn at(at_ns: u64, work_ns: u64, held_ns: u64) -> Load {
        Load { at_ns, work_ns, held_ns, tasks: 0, chunks: 0 }
    }

    impl Team {
        fn new(threads: usize) -> Self {
            let shared = Box::leak(Box::new(SharedArea::<Area>::create(0).unwrap()));
            let area = shared.area();
            let row = area.regions.row(0, 0x1000).unwrap();
            Self { area, row, threads: (0..threads).map(|_| Shares::new()).collect() }
        }

        /// A region that all begin at 0: the moments of arrival, and when the first thread goes on.
        fn region(&mut self, arrivals: &[Load], end_ns: u64) {
            let instances = self.area.instances(0);
            for (number, shares) in self.threads.iter_mut().enumerate() {
                let begin = at(0, 0, 0);
                if number == 0 {
                    shares.fork(1, begin, instances, Some(self.row));
                } else {
                    shares.serve(1, begin, instances);
                }
            }
            // The first one comes last, whatever the times are.
            for (shares, arrival) in self.threads.iter_mut().zip(arrivals).rev() {
                shares.arrive(*arrival);
            }
            let end = Load { at_ns: end_ns, ..arrivals[0] };
            self.threads[0].depart(end);
            self.threads[0].join(1, end);
        }

        /// The waits at the barrier: imbalance, no processor, and threads that nothing explains.
        fn waits(&self) -> [u64; 4] {
            let row = self.row;
            [&row.barrier_ns, &row.imbalance_ns, &row.no_processor_ns, &row.late_ns].map(|ns| ns.load(Relaxed))
        }
    }

    const MS: u64 = 1_000_000;

    #[test]
    fn a_peer_that_runs_for_longer_is_imbalance() {
        let mut team = Team::new(2);
        team.region(&[at(9 * MS, 9 * MS, 0), at(3 * MS, 3 * MS, 0)], 9 * MS);
        assert_eq!(team.waits(), [6 * MS, 6 * MS, 0, 0]);
        assert_eq!((team.row.gain_ns.load(Relaxed), team.row.max_ns.load(Relaxed)), (3 * MS, 9 * MS));
    }

    #[test]
    fn a_peer_without_a_processor_is_none() {
        let mut team = Team::new(3);
        team.region(&[at(3 * MS, 3 * MS, 0), at(9 * MS, 9 * MS, 6 * MS), at(3 * MS, 3 * MS, 0)], 9 * MS);
        assert_eq!(team.waits(), [12 * MS, 0, 12 * MS, 0]);
        assert_eq!(team.row.work_ns.load(Relaxed), 15 * MS);
    }

    #[test]
    fn both_are_told_apart_and_imbalance_is_no_longer_than_the_wait() {
        // One runs 6 of 9 ms, the other one 3.
        let mut team = Team::new(2);
        team.region(&[at(9 * MS, 9 * MS, 3 * MS), at(3 * MS, 3 * MS, 0)], 9 * MS);
        assert_eq!(team.waits(), [6 * MS, 3 * MS, 3 * MS, 0]);
        // The one that runs less has no processor meanwhile: nobody waits.
        let mut team = Team::new(2);
        team.region(&[at(9 * MS, 9 * MS, 0), at(9 * MS, 9 * MS, 6 * MS)], 9 * MS);
        assert_eq!(team.waits(), [0; 4]);
    }

    #[test]
    fn waits_before_the_barrier_are_none_of_it_and_what_remains_is_its_cost() {
        let mut team = Team::new(2);
        // The other one waits for 2 ms for a lock.
        team.region(&[at(3 * MS, 3 * MS, 0), at(3 * MS, MS, 0)], 3 * MS + 20_000);
        assert_eq!(team.waits(), [40_000, 20_000, 0, 0], "its work is less by 2 ms");
        let mut team = Team::new(2);
        team.region(&[at(3 * MS, 3 * MS, 0), at(3 * MS, 3 * MS, 0)], 5 * MS);
        assert_eq!(team.waits(), [4 * MS, 0, 0, 4 * MS - 2 * BARRIER_NS]);
    }

    #[test]
    fn a_thread_is_alone_at_a_barrier_if_nobody_else_came_and_nothing_was_queued() {
        let team = Team::new(0);
        let instances = team.area.instances(0);
        let (mut primary, mut worker) = (Shares::new(), Shares::new());
        let region = |primary: &mut Shares, worker: Option<&mut Shares>| {
            primary.fork(1, at(0, 0, 0), instances, Some(team.row));
            assert!(!primary.is_alone(0), "it works");
            if let Some(worker) = worker {
                worker.serve(1, at(0, 0, 0), instances);
                worker.arrive(at(8, 8, 0));
                assert!(!worker.is_alone(0));
            }
            primary.arrive(at(5, 5, 0));
            let is_alone = primary.is_alone(0);
            assert!(!primary.is_alone(1), "a task may wait in the barrier");
            primary.depart(at(9, 5, 0));
            assert!(!primary.is_alone(0), "the barrier is behind it");
            primary.join(1, at(9, 5, 0));
            is_alone
        };
        assert!(region(&mut primary, None) && region(&mut primary, None));
        assert!(!region(&mut primary, Some(&mut worker)));
        // Members may lack the room to say that they are there.
        assert!(!region(&mut primary, None), "the team was one of two before");
    }

    #[test]
    fn tasks_are_counted_in_the_region_that_they_run_in() {
        let mut team = Team::new(2);
        let instances = team.area.instances(0);
        let inner = team.area.regions.row(0, 0x2000).unwrap();
        let load = |at_ns, tasks| Load { tasks, ..at(at_ns, at_ns, 0) };
        team.threads[0].fork(1, load(0, 5), instances, Some(team.row));
        team.threads[1].serve(1, load(0, 7), instances);
        // One task of each; then a region of one thread, with two.
        team.threads[0].fork(2, load(10, 6), instances, Some(inner));
        team.threads[0].join(2, load(20, 8));
        team.threads[1].arrive(load(20, 8));
        team.threads[0].arrive(load(20, 9));
        for tasks in 9..=200 {
            team.threads[1].task_ended(load(20 + tasks, tasks));
        }
        team.threads[0].depart(load(300, 10));
        team.threads[0].join(1, load(300, 10));
        let [outer, inner] = [team.row, inner].map(|row| row.tasks.load(Relaxed));
        assert_eq!(inner, 2);
        // Of those in the barrier the last few may not be known.
        assert!((3 + 187..=3 + 193).contains(&outer), "{outer}");
    }

    #[test]
    fn a_region_inside_counts_with_its_longest_running_time() {
        let mut team = Team::new(2);
        let instances = team.area.instances(0);
        let outer = Some(team.row);
        team.threads[0].fork(1, at(0, 0, 0), instances, outer);
        team.threads[1].serve(1, at(0, 0, 0), instances);
        // The inner team of the first thread has a member that runs 6 of 9 ms; itself it runs 2 ms, and waits.
        let mut member = Shares::new();
        team.threads[0].fork(2, at(0, 0, 0), instances, None);
        member.serve(2, at(0, 0, 0), instances);
        member.arrive(at(9 * MS, 9 * MS, 3 * MS));
        team.threads[0].arrive(at(2 * MS, 2 * MS, 0));
        team.threads[0].depart(at(9 * MS, 2 * MS, 0));
        team.threads[0].join(2, at(9 * MS, 2 * MS, 0));
        team.threads[1].arrive(at(5 * MS, 5 * MS, 0));
        team.threads[0].arrive(at(9 * MS, 2 * MS, 0));
        team.threads[0].depart(at(9 * MS, 2 * MS, 0));
        team.threads[0].join(1, at(9 * MS, 2 * MS, 0));
        // 6 ms, and 5 ms of the other one, which waits for 4 ms.
        assert_eq!(team.waits(), [4 * MS, MS, 3 * MS, 0]);
    }
}
