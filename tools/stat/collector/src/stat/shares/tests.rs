//! Teams whose members arrive at given times, and the work, waits and imbalance that are recorded for their regions.

use super::open_region::BARRIER_NS;
use super::*;
use stat_layout::area::SharedArea;
use stat_layout::stat::layout::Area;

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

    /// A region that all members begin at 0, with the moments of their arrivals, and the time at which the first
    /// thread continues.
    fn region(&mut self, arrivals: &[Load], end_ns: u64) -> Path {
        let instances = self.area.instances(0);
        for (number, shares) in self.threads.iter_mut().enumerate() {
            let begin = at(0, 0, 0);
            if number == 0 {
                shares.fork(1, begin, instances, Some(self.row));
            } else {
                shares.serve(1, begin, instances);
            }
        }
        // The first thread is called last, whichever times are given.
        for (shares, arrival) in self.threads.iter_mut().zip(arrivals).rev() {
            shares.arrive(*arrival);
        }
        let end = Load { at_ns: end_ns, ..arrivals[0] };
        self.threads[0].depart(end);
        self.threads[0].join(1, end)
    }

    /// The waits at the barrier: all, imbalance, no processor, and threads that nothing explains.
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

/// Neither the size of its team nor the threads waited for are known, so the wait counts neither as imbalance nor as the barrier's own cost.
#[test]
fn a_region_without_a_room_has_no_waits_and_is_not_executed_alone() {
    let mut team = Team::new(2);
    team.region(&[at(9 * MS, 9 * MS, 0), at(9 * MS, 9 * MS, 0)], 9 * MS);
    let all = team.area.instances(0).unwrap();
    assert!((2..).take_while(|other| all.open(*other).is_some()).count() > 100);
    let waits = (team.waits(), team.row.wait_ns.load(Relaxed));
    team.region(&[at(3 * MS, 3 * MS, 0), at(9 * MS, 9 * MS, 0)], 9 * MS);
    assert_eq!((team.waits(), team.row.wait_ns.load(Relaxed)), waits);
    let [ended, alone, work_ns] =
        [&team.row.ended, &team.row.alone_ended, &team.row.work_ns].map(|it| it.load(Relaxed));
    assert_eq!((ended, alone, work_ns), (2, 0, 21 * MS));
}

#[test]
fn regions_of_one_thread_are_counted_where_others_have_several() {
    let mut team = Team::new(1);
    team.region(&[at(2 * MS, 2 * MS, 0)], 2 * MS);
    let alone = |team: &Team| (team.row.alone_ended.load(Relaxed), team.row.alone_ns.load(Relaxed));
    let mut pair = Team::new(2);
    (pair.row, pair.area) = (team.row, team.area);
    pair.region(&[at(9 * MS, 9 * MS, 0), at(9 * MS, 9 * MS, 0)], 9 * MS);
    assert_eq!(alone(&pair), (1, 2 * MS), "the one before the first team of two");
    team.region(&[at(3 * MS, 3 * MS, 0)], 3 * MS);
    assert_eq!((alone(&pair), pair.row.ended.load(Relaxed)), ((2, 5 * MS), 3));
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
    // One thread runs for 6 of 9 ms, the other one for 3 ms.
    let mut team = Team::new(2);
    team.region(&[at(9 * MS, 9 * MS, 3 * MS), at(3 * MS, 3 * MS, 0)], 9 * MS);
    assert_eq!(team.waits(), [6 * MS, 3 * MS, 3 * MS, 0]);
    // The thread that runs less lacks a processor meanwhile: no thread waits.
    let mut team = Team::new(2);
    team.region(&[at(9 * MS, 9 * MS, 0), at(9 * MS, 9 * MS, 6 * MS)], 9 * MS);
    assert_eq!(team.waits(), [0; 4]);
}

#[test]
fn waits_before_the_barrier_are_none_of_it_and_what_remains_is_its_cost() {
    let mut team = Team::new(2);
    // The other thread waits for a lock for 2 ms.
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
    // Members may lack the space to report their presence.
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
    // The inner team of the first thread has a member that runs for 6 of 9 ms; the first thread itself runs for 2 ms,
    // and waits.
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

#[test]
fn the_path_is_the_longest_chain_of_work_and_of_waits_for_the_work_of_others() {
    let path = |arrivals: &[Load]| Team::new(arrivals.len()).region(arrivals, 10 * MS);
    // The second thread runs for longest; in the second case it lacks a processor for 4 ms.
    assert_eq!(path(&[at(3 * MS, 3 * MS, 0), at(9 * MS, 9 * MS, 0)]), Path { more_ns: 6 * MS, waits_ns: 0 });
    assert_eq!(path(&[at(3 * MS, 3 * MS, 0), at(9 * MS, 9 * MS, 4 * MS)]), Path { more_ns: 2 * MS, waits_ns: 0 });
    // One after the other, 3 ms each, in a critical section. The barrier takes further time, which is on no path.
    let turns = [at(9 * MS, 3 * MS, 0), at(3 * MS, 3 * MS, 0), at(6 * MS, 3 * MS, 0)];
    assert_eq!(path(&turns), Path { more_ns: 0, waits_ns: 6 * MS });
    let turns = [at(3 * MS, 3 * MS, 0), at(9 * MS, 3 * MS, 0), at(6 * MS, 3 * MS, 0)];
    assert_eq!(path(&turns), Path { more_ns: 0, waits_ns: 6 * MS });
}

#[test]
fn a_chain_of_tasks_in_a_barrier_is_a_path_but_for_short_gaps() {
    let path = |gap_ns: u64| {
        let mut team = Team::new(2);
        let instances = team.area.instances(0);
        let [primary, worker] = &mut team.threads[..] else { panic!() };
        primary.fork(1, at(0, 0, 0), instances, Some(team.row));
        worker.serve(1, at(0, 0, 0), instances);
        worker.arrive(at(0, 0, 0));
        primary.arrive(at(MS, MS, 0));
        // Each thread in turn executes tasks of 1 ms.
        let task = |of: &mut Shares, begin_ns: u64, gap_ns, ran_ns| {
            of.task_begun(gap_ns);
            of.task_ended(at(begin_ns + MS, ran_ns + MS, 0));
        };
        task(worker, MS + gap_ns, gap_ns, 0);
        task(primary, 2 * MS + gap_ns, MS + gap_ns, MS);
        task(worker, 3 * MS + gap_ns, MS, MS);
        primary.depart(at(5 * MS, 2 * MS, 0));
        primary.join(1, at(5 * MS, 2 * MS, 0))
    };
    // Each has run 2 of the 4 ms.
    assert_eq!(path(0), Path { more_ns: 0, waits_ns: 2 * MS });
    assert_eq!(path(GAP_NS - 1), path(0));
    assert_eq!(path(GAP_NS), Path { more_ns: 0, waits_ns: 2 * MS + GAP_NS });
}

#[test]
fn the_path_goes_on_through_regions_inside() {
    let mut team = Team::new(2);
    let instances = team.area.instances(0);
    team.threads[0].fork(1, at(0, 0, 0), instances, None);
    team.threads[1].serve(1, at(0, 0, 0), instances);
    let mut member = Shares::new();
    // It forks a region after 1 ms, in which a member runs for 6 ms, for 2 of them without a processor; the thread
    // itself runs for 2 ms.
    team.threads[0].fork(2, at(MS, MS, 0), instances, None);
    member.serve(2, at(0, 0, 0), instances);
    member.arrive(at(6 * MS, 6 * MS, 2 * MS));
    team.threads[0].arrive(at(3 * MS, 3 * MS, 0));
    team.threads[0].depart(at(8 * MS, 3 * MS, 0));
    assert_eq!(team.threads[0].join(2, at(8 * MS, 3 * MS, 0)), Path::default());
    team.threads[1].arrive(at(2 * MS, 2 * MS, 0));
    team.threads[0].arrive(at(9 * MS, 4 * MS, 0));
    team.threads[0].depart(at(9 * MS, 4 * MS, 0));
    // 1, 4 and 1 ms, of which it ran 1, 2 and 1.
    assert_eq!(team.threads[0].join(1, at(9 * MS, 4 * MS, 0)), Path { more_ns: 2 * MS, waits_ns: 0 });
}

#[test]
fn barriers_cost_what_shares_that_are_uneven_by_turns_make_threads_wait() {
    let cost = |shares: [[u64; 2]; 3]| {
        let mut team = Team::new(2);
        let instances = team.area.instances(0);
        team.threads[0].fork(1, at(0, 0, 0), instances, Some(team.row));
        team.threads[1].serve(1, at(0, 0, 0), instances);
        let (mut now_ns, mut work_ns) = (0, [0; 2]);
        for phase in shares {
            let longest_ns = phase[0].max(phase[1]);
            for member in [1, 0] {
                work_ns[member] += phase[member] * MS;
                team.threads[member].arrive(at(now_ns + phase[member] * MS, work_ns[member], 0));
            }
            now_ns += longest_ns * MS;
            team.threads.iter_mut().zip(work_ns).for_each(|(member, work_ns)| member.depart(at(now_ns, work_ns, 0)));
        }
        team.threads[0].join(1, at(now_ns, work_ns[0], 0));
        team.row.phases_ns.load(Relaxed)
    };
    assert_eq!(cost([[9, 3], [3, 9], [9, 3]]), 6 * MS);
    assert_eq!(cost([[9, 3], [9, 3], [9, 3]]), 0, "always the same one");
}

/// A machine that has run for years: the sum of the times of a team's threads does not fit into 64 bits.
#[test]
fn the_making_of_a_large_team_is_no_work_also_late() {
    let gain_ns = |first_ns: u64| {
        let mut team = Team::new(300);
        let instances = team.area.instances(0);
        for (number, shares) in team.threads.iter_mut().enumerate() {
            // The others begin when the team has been created, after half a millisecond.
            let begin = at(first_ns + if number == 0 { 0 } else { MS / 2 }, 0, 0);
            if number == 0 {
                shares.fork(1, begin, instances, Some(team.row));
            } else {
                shares.serve(1, begin, instances);
            }
        }
        for (number, shares) in team.threads.iter_mut().enumerate().rev() {
            let (after_ns, work_ns) = if number == 0 { (2 * MS, 2 * MS) } else { (MS + MS / 2, MS) };
            shares.arrive(at(first_ns + after_ns, work_ns, 0));
        }
        team.threads[0].depart(at(first_ns + 2 * MS, 2 * MS, 0));
        team.row.gain_ns.load(Relaxed)
    };
    assert_eq!([gain_ns(0), gain_ns(1 << 62)], [0; 2]);
}

#[test]
fn the_wait_for_a_late_worker_before_the_body_is_no_imbalance() {
    let mut team = Team::new(2);
    let instances = team.area.instances(0);
    // The first thread forks at 0, and waits for the other one in the runtime for 8 ms. Both then work for 2 ms.
    let [first, second] = &mut team.threads[..] else { unreachable!() };
    first.fork(1, at(0, 0, 0), instances, Some(team.row));
    first.begin_body(1, at(8 * MS, 0, 0));
    second.serve(1, at(8 * MS, 0, 0), instances);
    second.arrive(at(10 * MS, 2 * MS, 0));
    first.arrive(at(10 * MS, 2 * MS, 0));
    first.depart(at(10 * MS, 2 * MS, 0));
    first.join(1, at(10 * MS, 2 * MS, 0));
    assert_eq!(team.waits(), [0; 4]);
    assert_eq!([team.row.shares_ns.load(Relaxed), team.row.max_ns.load(Relaxed)], [4 * MS, 2 * MS]);
    assert_eq!(team.row.total_ns.load(Relaxed), 10 * MS);
}

#[test]
fn regions_that_are_too_deep_are_counted_and_are_not_open() {
    let mut team = Team::new(1);
    let numbers = || 1..=DEPTH as u64 + 3;
    numbers().for_each(|number| team.threads[0].fork(number, at(number, number, 0), None, Some(team.row)));
    numbers().rev().for_each(|number| {
        team.threads[0].join(number, at(100, 100, 0));
    });
    let [count, ended, too_deep] = [&team.row.count, &team.row.ended, &team.row.too_deep].map(|it| it.load(Relaxed));
    assert_eq!((count, ended, too_deep), (DEPTH as u64 + 3, DEPTH as u64, 3));
}
