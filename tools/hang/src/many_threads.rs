//! Looks at so many threads that what grows with the square of their number takes minutes.

use std::time::{Duration, Instant};

use crate::finding::{Answer, Finding};
use crate::model::{
    Barrier, Frame, Held, Look, Membership, Outside, Place, Resource, ResourceKind, TaskWait, Thread, Turn, Wait,
    WokenBy,
};

const THREADS: u32 = 20_000;
/// Maximum time for an answer, which takes some ten milliseconds.
const BOUND: Duration = Duration::from_secs(5);

fn lock(address: u64) -> Resource {
    Resource { kind: ResourceKind::Lock, address: Some(address), name: None, owner: None }
}

fn holds(resource: Resource) -> Held {
    Held { resource, frame: 0, call: None, function: None, is_certain: true }
}

fn thread(tid: u32, wait: Wait) -> Thread {
    Thread { tid, wait, asleep: true, is_settled: true, stack: vec![Frame::default()], ..Thread::default() }
}

fn member(team: u64, size: u32, number: u32, tid: u32, wait: Wait) -> Thread {
    Thread { place: Some(Place { teams: vec![Membership { team, size, number }] }), ..thread(tid, wait) }
}

fn at_barrier(team: u64) -> Wait {
    Wait::Barrier { kind: Barrier::Explicit, team: Some(team) }
}

fn answer(threads: impl Iterator<Item = Thread>) -> Answer {
    let look = Look { threads: threads.collect(), ..Look::default() };
    let begun = Instant::now();
    let answer = Answer::of(&look);
    assert!(begun.elapsed() < BOUND);
    answer
}

fn task(thread: Thread) -> Thread {
    let construct = symbols::Construct { kind: symbols::ConstructKind::Task, line: 1, file: None, call: None };
    let name = symbols::Name { construct: Some(construct), ..symbols::Name::default() };
    Thread { stack: vec![Frame { names: vec![name], ..Frame::default() }], ..thread }
}

#[test]
fn threads_that_wait_for_a_section_whose_holder_waits_for_them_are_one_cycle() {
    let holder = Thread { holds: vec![holds(lock(1))], ..member(7, THREADS, 0, 1, at_barrier(7)) };
    let others = (1..THREADS).map(|number| member(7, THREADS, number, 1 + number, Wait::Mutex(lock(1))));
    assert_eq!(answer([holder].into_iter().chain(others)).findings, [Finding::Cycle(vec![0, 1])]);
}

#[test]
fn half_a_team_at_a_barrier_waits_for_the_other_half() {
    let half = THREADS / 2;
    let wait = |number| if number < half { at_barrier(7) } else { Wait::Nothing };
    let answer = answer((0..THREADS).map(|number| member(7, THREADS, number, 1 + number, wait(number))));
    assert!(answer.findings.is_empty() && answer.pending.len() == half as usize);
    assert!(answer.pending.iter().all(|pending| pending.first == 0 && pending.count == half as usize));
}

#[test]
fn each_thread_of_a_long_chain_waits_for_the_next() {
    let link = |number: u32, last: Wait| Thread {
        holds: vec![holds(lock(number.into()))],
        ..thread(1 + number, if number + 1 < THREADS { Wait::Mutex(lock(u64::from(number) + 1)) } else { last })
    };
    let chain = |last: Wait| answer((0..THREADS).map(move |number| link(number, last.clone()))).findings;
    assert_eq!(chain(Wait::Nothing), []);
    assert_eq!(chain(Wait::Mutex(lock(0))), [Finding::Cycle((0..THREADS as usize).collect())]);
    let next = |number: u32| WokenBy::EndOf(1 + (number + 1) % THREADS);
    let joins = |number| Wait::Outside(Outside { function: "pthread_join".to_owned(), by: next(number) });
    assert_eq!(answer((0..THREADS).map(|number| thread(1 + number, joins(number)))).findings, []);
}

#[test]
fn pairs_at_barriers_that_one_of_them_has_left_are_each_named() {
    let count = 2 * THREADS;
    let wait = |number: u32| if number.is_multiple_of(2) { at_barrier((number / 2).into()) } else { Wait::Idle };
    let pair = |number: u32| member((number / 2).into(), 2, number % 2, 1 + number, wait(number));
    let findings = answer((0..count).map(pair)).findings;
    let left = |number: u32| Finding::Left { team: number.into(), there: vec![2 * number as usize], gone: 1 };
    assert_eq!(findings.len(), count as usize / 2);
    assert!(findings.into_iter().zip(0..).all(|(finding, number)| finding == left(number)));
}

#[test]
fn locks_without_a_known_holder_are_each_named() {
    let count = 3 * THREADS;
    let findings = answer((0..count).map(|number| thread(1 + number, Wait::Mutex(lock(number.into()))))).findings;
    assert_eq!(findings.len(), count as usize);
    assert_eq!(findings.last(), Some(&Finding::Unreleased(lock(u64::from(count) - 1), vec![count as usize - 1])));
}

#[test]
fn threads_that_wait_for_their_turn_share_one_reason() {
    let count = 9 * THREADS;
    let waits = |number| member(7, count, number, 1 + number, Wait::Turn(Turn::Ordered));
    let all: Vec<usize> = (0..count as usize).collect();
    assert_eq!(answer((0..count).map(waits)).findings, [Finding::Turn(Turn::Ordered, all)]);
}

#[test]
fn a_taskwait_is_joined_with_the_first_task_that_waits_for_its_thread() {
    let half = THREADS / 2;
    let taskwait = |number: u32| {
        let wait = Wait::Tasks(TaskWait::Taskwait);
        Thread { holds: vec![holds(lock(number.into()))], ..thread(1 + number, wait) }
    };
    let executes = |number: u32| task(thread(1 + half + number, Wait::Mutex(lock(number.into()))));
    let findings = answer((0..half).map(taskwait).chain((0..half).map(executes))).findings;
    let cycle = |number: usize| Finding::TaskCycle(TaskWait::Taskwait, vec![number, number + half as usize]);
    assert!(findings.len() == half as usize && findings.into_iter().zip(0..).all(|(it, number)| it == cycle(number)));
}
