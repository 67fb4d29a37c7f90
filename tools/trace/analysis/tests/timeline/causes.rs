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
