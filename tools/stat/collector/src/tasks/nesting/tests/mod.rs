//! Tests of the stack of a thread, played without a program.

mod simulated;

use super::*;
use crate::tasks::frames::FIRST;
pub(super) use simulated::{A, B, Thread, World, read};
use stat_layout::tasks::layout::TaskInstance;
use std::sync::atomic::Ordering::Relaxed;

#[test]
fn execution_has_no_suspension_creation_or_other_task_in_it() {
    let world = World::new(0);
    let mut thread = world.thread();
    thread.create(100, 110, A, false, [1, 9]).suspend(120).begin(130, 1);
    // Task 1: works for 5, creates task 2 in 7, works for 3, waits from 100 to 200 while task 2 runs for 40, works
    // for 4.
    thread.create(135, 142, B, false, [2, 1]).suspend(145).begin(150, 2).end(190, 192).resume(200).end(204, 209);
    thread.resume(210);
    assert_eq!(world.times(A, |cell| &cell.creation), [1, 10, 10, 10]);
    assert_eq!(world.times(A, |cell| &cell.waiting), [1, 20, 20, 20]);
    assert_eq!(world.times(A, |cell| &cell.execution), [1, 5 + 3 + 4, 12, 12]);
    assert_eq!(world.times(A, |cell| &cell.suspension), [1, 55, 55, 55]);
    assert_eq!(world.sum(A, |cell| &cell.idle), 5 + 8);
    assert_eq!(world.times(A, |cell| &cell.cleanup), [1, 5, 5, 5]);
    assert_eq!(world.times(B, |cell| &cell.execution), [1, 40, 40, 40]);
    assert_eq!(world.times(B, |cell| &cell.waiting), [1, 8, 8, 8]);
    assert_eq!(world.times(B, |cell| &cell.suspension), [0; 4]);
    assert_eq!([A, B].map(|place| world.sum(place, |cell| &cell.depth)), [1, 2]);
    assert_eq!([A, B].map(|place| world.sum(place, |cell| &cell.children_max)), [1, 0]);
    let slot = thread.sums.slot();
    assert_eq!(
        [&slot.created, &slot.executed, &slot.execution, &slot.creation, &slot.idle].map(read),
        [2, 2, 52, 17, 24]
    );
    let fetches: u64 = slot.fetches.steps().map(|(_, count)| count).sum();
    assert_eq!(fetches, 2);
    assert_eq!([0, 1].map(|level: usize| read(&slot.levels[level].executed)), [1, 1]);
    assert_eq!(read(&slot.levels[1].execution), 40);
}

#[test]
fn a_task_is_fetched_no_longer_than_it_exists() {
    let world = World::new(0);
    let (mut one, mut other) = (world.thread(), world.thread());
    // The other thread executes nothing from 30 on: not because it looks for the second task.
    one.create(10, 20, A, false, [1, 9]);
    other.suspend(15).begin(22, 1).end(28, 30);
    one.create(100_000, 100_005, A, false, [2, 9]);
    other.begin(100_010, 2).end(100_020, 100_021);
    let longest = other.sums.slot().fetches.steps().filter(|(_, count)| *count > 0).map(|(step, _)| step).max();
    assert!(longest.is_some_and(|longest| longest < 100), "{longest:?}");
}

#[test]
fn a_task_that_runs_at_once_waits_for_nothing() {
    let world = World::new(0);
    let mut thread = world.thread();
    thread.create(10, 15, A, true, [1, 9]).begin(16, 1).end(20, 20);
    assert_eq!(world.times(A, |cell| &cell.waiting), [0; 4]);
    assert_eq!(world.times(A, |cell| &cell.execution), [1, 4, 4, 4]);
    assert_eq!(world.cells(A)[0].undeferred.load(Relaxed), 1);
    assert!(world.pool.update(1, |word| {
        assert_eq!(word, None);
        None
    }));
}

#[test]
fn a_wait_that_comes_out_negative_is_nothing_and_is_counted() {
    let world = World::new(0);
    let (mut one, mut other) = (world.thread(), world.thread());
    one.create(10, 50, A, false, [1, 9]);
    other.begin(45, 1).end(60, 60);
    assert_eq!(world.times(A, |cell| &cell.waiting), [1, 0, 0, 0]);
    assert_eq!(world.sum(A, |cell| &cell.negative), 1);
    assert_eq!(world.times(A, |cell| &cell.execution), [1, 15, 15, 15]);
}

#[test]
fn an_execution_may_begin_and_end_before_the_creation_has_ended() {
    let world = World::new(2);
    let (mut one, mut other) = (world.thread(), world.thread());
    // Task 1 begins first and its creation becomes known later; task 2 has ended by then.
    other.begin(20, 1);
    one.create(10, 30, A, false, [1, 9]);
    other.end(50, 50).begin(70, 2).suspend(75).resume(76).end(90, 90);
    one.create(60, 95, B, false, [2, 9]);
    for (place, execution) in [(A, 30), (B, 19)] {
        assert_eq!(world.times(place, |cell| &cell.waiting), [1, 0, 0, 0]);
        assert_eq!(world.sum(place, |cell| &cell.early), 1);
        assert_eq!(world.sum(place, |cell| &cell.started), 1);
        assert_eq!(world.times(place, |cell| &cell.execution), [1, execution, execution, execution]);
    }
    assert_eq!(world.times(B, |cell| &cell.suspension), [1, 1, 1, 1]);
    let instances: &[TaskInstance] = world.shared.items();
    let told = |i: &TaskInstance| [&i.id, &i.parent, &i.place, &i.execution].map(read);
    assert_eq!([told(&instances[0]), told(&instances[1])], [[1, 9, A, 30], [2, 9, B, 19]]);
    assert_eq!(instances[1].executor.load(Relaxed), 2);
    assert_eq!(read(&other.sums.slot().executed), 2);
}

#[test]
fn a_child_of_a_task_that_began_early_stands_below_it() {
    let world = World::new(0);
    let (mut one, mut other) = (world.thread(), world.thread());
    other.begin(20, 1);
    one.create(10, 30, A, false, [1, 9]);
    other.create(40, 41, B, false, [2, 1]).end(50, 50);
    assert_eq!(world.sum(B, |cell| &cell.depth), 2);
    assert_eq!(world.sum(A, |cell| &cell.children), 1);
    assert_eq!(world.sum(A, |cell| &cell.started), 1);
}

#[test]
fn a_task_that_began_early_knows_its_level_from_the_thread_that_creates_it() {
    let world = World::new(0);
    let (mut one, mut other) = (world.thread(), world.thread());
    // Task 3 is created in task 2, which is created in task 1, and begins before any of that is reported.
    one.create(1, 2, A, false, [1, 9]).begin(3, 1);
    one.nesting.begin_create(&one.sums, 4, || 1);
    other.begin_early(5, 2, 1);
    other.create(6, 7, B, true, [3, 2]).begin(8, 3).end(9, 9);
    assert_eq!(world.sum(B, |cell| &cell.depth), 3);
    other.end(10, 10);
    // The children of an implicit task are on the first level.
    other.begin_early(11, 4, 9).create(12, 13, 0x6000, true, [5, 4]);
    assert_eq!(world.sum(0x6000, |cell| &cell.depth), 2);
}

/// Runs tasks 1 to `deep`, each of which runs inside its creation by the one before.
fn nest(thread: &mut Thread<'_>, deep: u64) {
    for id in 1..=deep {
        thread.create(id * 10, id * 10 + 1, A, true, [id, id - 1]).begin(id * 10 + 2, id);
    }
    for id in (1..=deep).rev() {
        let gone = (deep + 1) * 10 + (deep - id) * 10;
        thread.end(gone, gone + 1);
    }
}

#[test]
fn tasks_may_nest_as_deep_as_there_is_memory() {
    let world = World::new(0);
    let mut thread = world.thread();
    let deep = 100_000;
    nest(&mut thread, deep);
    let slot = thread.sums.slot();
    assert_eq!([&slot.too_deep, &slot.executed].map(read), [0, deep]);
    assert_eq!(world.times(A, |cell| &cell.execution)[0], deep);
    assert_eq!(world.cells(A).iter().map(|cell| read(&cell.depth_max)).max(), Some(deep));
}

#[test]
fn what_memory_is_refused_for_is_counted_and_undone() {
    let world = World::new(0);
    let mut thread = world.thread();
    thread.nesting.frames.most = Some(FIRST);
    let deep = FIRST as u64 + 50;
    nest(&mut thread, deep);
    let slot = thread.sums.slot();
    assert_eq!([&slot.too_deep, &slot.executed].map(read), [50, FIRST as u64]);
    // They are known to have begun, and their creations are known.
    let counts = [world.sum(A, |cell| &cell.started), world.sum(A, |cell| &cell.too_deep)];
    assert_eq!((counts, world.times(A, |cell| &cell.creation)[0]), ([deep, 50], deep));
    thread.create(90_000, 90_001, B, true, [deep + 1, 0]).begin(90_002, deep + 1).end(90_003, 90_003);
    assert_eq!(world.times(B, |cell| &cell.execution), [1, 1, 1, 1]);
    assert_eq!(world.sum(B, |cell| &cell.depth), 1);
}

#[test]
fn an_instance_knows_each_of_its_times() {
    let world = World::new(2);
    let mut thread = world.thread();
    thread.create(10, 15, A, false, [1, 9]).begin(22, 1).suspend(25).resume(36).end(40, 43);
    let instance = &world.shared.items()[0];
    let [creation, execution, suspension, exit] =
        [&instance.creation, &instance.execution, &instance.suspension, &instance.exit].map(read);
    assert_eq!([creation, execution, suspension, exit], [5, 7, 11, 3]);
    assert_eq!([&instance.created_at, &instance.started_at].map(read), [15, 22]);
}

#[test]
fn a_jump_out_of_waits_leaves_nothing_behind() {
    let world = World::new(0);
    let mut thread = world.thread();
    thread.create(10, 11, A, true, [1, 9]).begin(12, 1).suspend(13).suspend(14).end(20, 20);
    thread.create(30, 31, B, false, [2, 9]);
    assert_eq!(world.sum(B, |cell| &cell.depth), 1);
    assert_eq!(world.times(A, |cell| &cell.execution), [1, 1, 1, 1]);
}

/// Ids are asked for only if other threads need them, provided that the stack shows which task creates which.
#[test]
fn of_tasks_that_run_at_once_only_parents_are_asked_for_their_ids() {
    let world = World::new(0);
    let mut thread = world.thread();
    thread.sums.trusts_stack = true;
    let Thread { nesting, sums, .. } = &mut thread;
    let mut asked = Vec::new();
    let mut at = 0;
    let mut now = || {
        at += 1;
        at
    };
    let at_once = |nesting: &mut Nesting, sums: &mut ThreadSums, at: u64| {
        nesting.creating(A, false);
        nesting.end_create(sums, &world.pool, at, true, || panic!("asked for the ids"));
        assert!(nesting.begin_execution(sums, &world.pool, at, || panic!("asked for the id")));
    };
    // Task 7 creates two undeferred tasks and a queued one, task 9; the second undeferred one creates another one.
    nesting.begin_create(sums, now(), || panic!("there is no task"));
    at_once(nesting, sums, now());
    for _ in 0..2 {
        nesting.begin_create(sums, now(), || {
            asked.push(7);
            7
        });
        at_once(nesting, sums, now());
        nesting.end_finish(sums, &world.pool, now());
    }
    nesting.begin_create(sums, now(), || panic!("asked again"));
    nesting.creating(B, false);
    nesting.end_create(sums, &world.pool, now(), false, || [9, 7]);
    nesting.end_finish(sums, &world.pool, now());
    assert!(nesting.begin_execution(sums, &world.pool, now(), || 9));
    nesting.end_finish(sums, &world.pool, now());
    assert_eq!(asked, [7]);
    assert_eq!([A, B].map(|place| world.times(place, |cell| &cell.execution)[0]), [3, 1]);
    assert_eq!([A, B].map(|place| world.sum(place, |cell| &cell.depth)), [1 + 2 + 2, 2]);
    assert_eq!(world.sum(A, |cell| &cell.children_max), 3);
    // No start of a task's end was reported.
    assert_eq!(world.times(A, |cell| &cell.cleanup)[0], 0);
}

#[test]
fn tasks_of_a_region_inside_of_a_task_are_not_its_children() {
    let world = World::new(0);
    let mut thread = world.thread();
    thread.sums.trusts_stack = true;
    // Task 1 forks a region, whose implicit task 8 creates task 2; then it creates task 3 itself.
    thread.nesting.fork();
    thread.create(1, 2, A, true, [1, 9]).begin(3, 1);
    thread.nesting.fork();
    thread.create(4, 5, B, true, [2, 8]).begin(6, 2).end(7, 7);
    thread.nesting.join();
    thread.create(8, 9, B, true, [3, 1]).begin(10, 3).end(11, 11).end(12, 12);
    thread.nesting.join();
    assert_eq!(world.sum(B, |cell| &cell.depth), 1 + 2);
    assert_eq!(world.sum(A, |cell| &cell.children), 1);
}

#[test]
fn ends_without_a_begin_change_nothing() {
    let world = World::new(0);
    let mut thread = world.thread();
    thread.end(10, 11).resume(12);
    assert_eq!(read(&thread.sums.slot().executed), 0);
    assert_eq!(read(&thread.sums.slot().idle), 0);
}

#[test]
fn a_chunk_of_another_taskloop_is_not_taken_for_one_of_this() {
    let world = World::new(0);
    let mut thread = world.thread();
    thread.create(10, 11, A, true, [1, 9]).begin(12, 1);
    for (id, parent) in [(2, 1), (3, 7)] {
        thread.nesting.begin_create(&thread.sums, 20, || 1);
        thread.nesting.creating(B, true);
        thread.nesting.end_create(&mut thread.sums, &world.pool, 20, false, || [id, parent]);
    }
    assert_eq!([B, place::CHUNK].map(|place| world.times(place, |cell| &cell.creation)[0]), [1, 1]);
}

#[test]
fn a_task_that_cannot_be_remembered_is_counted_and_runs_without_a_place() {
    let world = World::new(0);
    let mut thread = world.thread();
    world.pool.without(1, || thread.create(10, 11, A, false, [1, 9]).begin(12, 1).end(13, 13));
    let slot = thread.sums.slot();
    assert_eq!([&slot.executed, &slot.forgotten].map(read), [1, 2]);
    assert_eq!(world.times(A, |cell| &cell.creation)[0], 1);
    assert_eq!(world.times(A, |cell| &cell.execution), [0; 4]);
}

#[test]
fn more_places_than_fit_share_one_cell() {
    let world = World::new(0);
    let mut thread = world.thread();
    for n in 0..300 {
        thread.create(n, n + 1, 0x10_000 + n * 16, true, [n + 1, 0]);
    }
    let many = world.times(place::MANY, |cell| &cell.creation)[0];
    assert_eq!(many, 300 - 192);
    assert_eq!(world.times(0x10_000, |cell| &cell.creation)[0], 1);
}
