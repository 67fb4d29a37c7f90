//! Causes: which thread others waited for.

use trace_analysis::cause::{Cause, Causes, longest};
use trace_analysis::flow::{self, Kind as Flow};
use trace_format::Kind::*;

use crate::events::{Written, id, timeline, two_threads};

#[test]
fn each_wait_names_its_other_side() {
    let timeline = two_threads();
    let causes = Causes::of(&timeline);
    let waits = longest(&timeline, &causes, 3);
    let seen: Vec<_> = waits.iter().map(|wait| (wait.thread, wait.idle_ns, wait.cause)).collect();
    assert_eq!(
        seen,
        [
            (0, 47_000, Some(Cause::LastArrival { thread: 1, at_ns: 49_000 })),
            (0, 27_000, Some(Cause::LastArrival { thread: 1, at_ns: 81_000 })),
            (1, 18_100, Some(Cause::Holder { thread: 0, slice: 4 })),
        ]
    );
    // No thread was later than the last one.
    assert_eq!(causes.cause(1, &timeline.threads[1].slices[1]), None);
}

#[test]
fn a_taskwait_is_for_the_child_that_ends_last() {
    let children = [id(0, 1), id(0, 2)];
    let events: &[Written] = &[
        (ThreadBegin, 1, 1, 1),
        (TaskCreate, 0, 2, 0x70),
        (TaskCreate, 0, 3, 0x80),
        (WaitBegin, 5, 4, 0x90),
        (WaitEnd, 5, 100, 0x90),
        (TaskCreate, 0, 101, 0xa0),
    ];
    let worker: &[Written] = &[
        (ThreadBegin, 2, 1, 2),
        (TaskSchedule, 7, 10, children[1]),
        (TaskSchedule, 1, 20, 0),
        (TaskSchedule, 7, 30, children[0]),
        (TaskSchedule, 1, 99, 0),
        (TaskSchedule, 7, 110, id(0, 3)),
        (TaskSchedule, 1, 120, 0),
    ];
    let timeline = timeline(&[events, worker]);
    let waits = longest(&timeline, &Causes::of(&timeline), 1);
    assert_eq!(waits[0].cause, Some(Cause::LastTask { task: children[0] }));
}

#[test]
fn the_end_of_a_taskgroup_is_for_the_descendant_that_ends_last() {
    let (before, child, grandchild, foreign) = (id(0, 1), id(0, 2), id(0, 3), id(1, 1));
    let events: &[Written] = &[
        (ThreadBegin, 1, 1, 1),
        (TaskCreate, 0, 2, 0x60),
        (GroupBegin, 0, 3, 0x90),
        (TaskCreate, 0, 4, 0x70),
        (WaitBegin, 6, 5, 0x90),
        (TaskSchedule, 7, 6, child),
        (TaskCreate, 0, 7, 0x80),
        (TaskSchedule, 1, 20, 0),
        (WaitEnd, 6, 100, 0x90),
        (GroupEnd, 0, 100, 0x90),
    ];
    // Neither the task created before the group nor one of another task belongs to it.
    let worker: &[Written] = &[
        (ThreadBegin, 2, 1, 2),
        (TaskSchedule, 7, 10, grandchild),
        (TaskSchedule, 1, 90, 0),
        (TaskSchedule, 7, 91, before),
        (TaskSchedule, 1, 95, 0),
        (TaskCreate, 0, 96, 0x70),
        (TaskSchedule, 7, 96, foreign),
        (TaskSchedule, 1, 98, 0),
    ];
    let timeline = timeline(&[events, worker]);
    let waits = longest(&timeline, &Causes::of(&timeline), 1);
    assert_eq!((waits[0].idle_ns, waits[0].cause), (81, Some(Cause::LastTask { task: grandchild })));
}

/// Cause of the longest wait at the last barrier of a region of two threads: the first one creates a task and arrives at 15, the second one
/// executes the task in the barrier, for this time.
fn cause_at_barrier(begin_ns: u64, end_ns: u64) -> Option<Cause> {
    let region = id(0, 1);
    let first: &[Written] = &[
        (ThreadBegin, 1, 1, 100),
        (RegionBegin, 2, 1, 0x40),
        (ImplicitBegin, 0, 2, region),
        (TaskCreate, 0, 3, 0x70),
        (WaitBegin, 9, 15, 0x40),
        (WaitEnd, 9, 100, 0x40),
        (ImplicitEnd, 0, 100, 0),
        (RegionEnd, 0, 101, region),
    ];
    let second: &[Written] = &[
        (ThreadBegin, 2, 1, 101),
        (ImplicitBegin, 1, 2, region),
        (WaitBegin, 9, 3, 0x40),
        (TaskSchedule, 7, begin_ns, id(0, 1)),
        (TaskSchedule, 1, end_ns, 0),
        (WaitEnd, 9, 100, 0x40),
        (ImplicitEnd, 1, 100, 0),
    ];
    let third: &[Written] = &[
        (ThreadBegin, 2, 1, 102),
        (ImplicitBegin, 2, 2, region),
        (WaitBegin, 9, 3, 0x40),
        (WaitEnd, 9, 100, 0x40),
        (ImplicitEnd, 2, 100, 0),
    ];
    let timeline = timeline(&[first, second, third]);
    let waits = longest(&timeline, &Causes::of(&timeline), 1);
    assert_eq!((waits[0].thread, waits[0].idle_ns), (2, 97));
    waits[0].cause
}

#[test]
fn a_barrier_is_for_a_task_that_outlasts_the_last_arrival() {
    let task = Some(Cause::LastTask { task: id(0, 1) });
    let arrival = Some(Cause::LastArrival { thread: 0, at_ns: 15 });
    let causes = |of: &[(u64, u64)]| of.iter().map(|(begin, end)| cause_at_barrier(*begin, *end)).collect::<Vec<_>>();
    assert_eq!(causes(&[(4, 99), (4, 60), (20, 99)]), [task; 3]);
    assert_eq!(causes(&[(4, 14), (4, 15), (4, 16), (20, 30)]), [arrival; 4]);
    assert_eq!(causes(&[(90, 99)]), [None], "many tasks may have run until then");
}

#[test]
fn a_wait_for_dependences_is_for_the_predecessor_that_ends_last() {
    use trace_format::task_flag::{DEPENDENCES, TASKWAIT};
    let (first, second, wait) = (id(0, 1), id(0, 2), id(0, 3));
    let events: &[Written] = &[
        (ThreadBegin, 1, 1, 1),
        (TaskCreate, DEPENDENCES, 2, 0x60),
        (TaskCreate, DEPENDENCES, 3, 0x70),
        (TaskCreate, TASKWAIT | DEPENDENCES, 10, 0x80),
        (Dependence, 0, 10, first),
        (TaskSchedule, 8, 90, wait),
        (WaitBegin, 5, 91, 0x90),
        (WaitEnd, 5, 95, 0x90),
    ];
    let worker: &[Written] = &[
        (ThreadBegin, 2, 1, 2),
        (TaskSchedule, 7, 4, first),
        (TaskSchedule, 1, 80, 0),
        (TaskSchedule, 7, 81, second),
        (TaskSchedule, 1, 89, 0),
    ];
    let timeline = timeline(&[events, worker]);
    let waits = longest(&timeline, &Causes::of(&timeline), 2);
    let slice = timeline.slice(waits[0].thread, waits[0].slice).unwrap();
    assert_eq!((slice.name(), slice.begin_ns, slice.end_ns, slice.code), ("wait for dependences", 10, 90, 0x80));
    assert_eq!(waits[0].cause, Some(Cause::LastTask { task: first }));
    assert_eq!((waits[1].idle_ns, timeline.counts.tasks_created), (4, 2));
}

#[test]
fn flows_lead_from_creations_dependences_and_holders() {
    let timeline = two_threads();
    let flows = flow::all(&timeline, &Causes::of(&timeline));
    let seen: Vec<_> = flows.iter().map(|flow| (flow.kind, flow.from, flow.from_ns, flow.to)).collect();
    let expected = [(Flow::Creation, (0, u32::MAX), 71_000, (1, 5)), (Flow::Mutex, (0, 4), 51_100, (1, 3))];
    assert_eq!(seen, expected);

    let events: &[Written] = &[
        (ThreadBegin, 1, 1, 1),
        (TaskCreate, 64, 2, 0x70),
        (TaskCreate, 64, 3, 0x80),
        (Dependence, 0, 4, id(0, 1)),
        (TaskSchedule, 7, 10, id(0, 1)),
        (TaskSchedule, 1, 20, 0),
        (TaskSchedule, 7, 30, id(0, 2)),
        (TaskSchedule, 1, 40, 0),
    ];
    let timeline = crate::events::timeline(&[events]);
    let flows = flow::all(&timeline, &Causes::of(&timeline));
    assert!(flows.iter().any(|flow| flow.kind == Flow::Dependence && flow.from == (0, 0) && flow.to == (0, 1)));
}
