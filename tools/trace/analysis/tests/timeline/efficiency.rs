//! Efficiencies of traces whose answers are known.

use terminal::page::Paper;
use trace_analysis::{Efficiency, Timeline, text};
use trace_format::Kind::*;
use trace_format::place;
use trace_format::task_flag::{DEPENDENCES, TASKWAIT, UNDEFERRED};

use crate::events::{Written, id, timeline, with_header};

/// A region of two threads, each of which works for the given time before it reaches the last barrier; it ends with
/// the longer one.
fn region(works: [u64; 2]) -> Timeline {
    let (region, end) = (id(0, 1), works[0].max(works[1]) + 10);
    let first: &[Written] = &[
        (ThreadBegin, 1, 1, 100),
        (RegionBegin, 2, 1, 0x40),
        (ImplicitBegin, 0, 1, region),
        (WaitBegin, 9, 1 + works[0], 0x40),
        (WaitEnd, 9, 1 + end, 0x40),
        (ImplicitEnd, 0, 1 + end, 0),
        (RegionEnd, 0, 1 + end, region),
        (ThreadEnd, 0, 1 + end, 0),
    ];
    let second: &[Written] = &[
        (ThreadBegin, 2, 1, 101),
        (ImplicitBegin, 1, 1, region),
        (WaitBegin, 9, 1 + works[1], 0x40),
        (WaitEnd, 9, 1 + end, 0x40),
        (ImplicitEnd, 1, 1 + end, 0),
        (ThreadEnd, 0, 1 + end, 0),
    ];
    timeline(&[first, second])
}

pub(crate) fn is(timeline: &Timeline, wanted: [f64; 4]) {
    let Efficiency { parallel, load_balance, serialisation, transfer } = timeline.efficiency().unwrap();
    let seen = [parallel, load_balance, serialisation, transfer];
    assert!(seen.iter().zip(wanted).all(|(seen, wanted)| (seen - wanted).abs() < 0.01), "{seen:?}");
    assert!((parallel - load_balance * serialisation * transfer).abs() < 1e-9, "{seen:?}");
}

#[test]
fn even_and_uneven_work() {
    is(&region([100_000, 100_000]), [1.0, 1.0, 1.0, 1.0]);
    // One thread has twice the work of the other.
    is(&region([100_000, 50_000]), [0.75, 0.75, 1.0, 1.0]);
}

#[test]
fn a_chain_of_critical_sections() {
    let region = id(0, 1);
    let first: &[Written] = &[
        (ThreadBegin, 1, 1, 100),
        (RegionBegin, 2, 1, 0x40),
        (ImplicitBegin, 0, 1, region),
        (MutexAcquire, 5, 1, 0x60),
        (MutexAcquired, 5, 1, 7),
        (MutexReleased, 5, 100_001, 7),
        (WaitBegin, 9, 100_001, 0x40),
        (WaitEnd, 9, 200_011, 0x40),
        (ImplicitEnd, 0, 200_011, 0),
        (RegionEnd, 0, 200_011, region),
        (ThreadEnd, 0, 200_011, 0),
    ];
    let second: &[Written] = &[
        (ThreadBegin, 2, 1, 101),
        (ImplicitBegin, 1, 1, region),
        (MutexAcquire, 5, 1, 0x60),
        (MutexAcquired, 5, 100_001, 7),
        (MutexReleased, 5, 200_001, 7),
        (WaitBegin, 9, 200_001, 0x40),
        (WaitEnd, 9, 200_011, 0x40),
        (ImplicitEnd, 1, 200_011, 0),
        (ThreadEnd, 0, 200_011, 0),
    ];
    is(&timeline(&[first, second]), [0.5, 1.0, 0.5, 1.0]);
}

#[test]
fn work_outside_of_regions_is_one_threads() {
    let first: &[Written] = &[(ThreadBegin, 1, 1, 100), (Control, 0, 100, 0), (ThreadEnd, 0, 100, 0)];
    assert_eq!(timeline(&[first]).efficiency(), None);
}

/// A region whose first thread creates a task with these flags and waits for the second one, which has worked by then for 90 us of 100.
fn creates_with(flags: u16, runtime: &str) -> Timeline {
    let region = id(0, 1);
    let first: &[Written] = &[
        (ThreadBegin, 1, 1, 100),
        (RegionBegin, 2, 1, 0x40),
        (ImplicitBegin, 0, 1, region),
        (TaskCreate, flags, 10_001, 0x50),
        (TaskSchedule, 8, 90_001, id(0, 1)),
        (WaitBegin, 9, 100_001, 0x40),
        (WaitEnd, 9, 100_011, 0x40),
        (ImplicitEnd, 0, 100_011, 0),
        (RegionEnd, 0, 100_011, region),
        (ThreadEnd, 0, 100_011, 0),
    ];
    let second: &[Written] = &[
        (ThreadBegin, 2, 1, 101),
        (ImplicitBegin, 1, 1, region),
        (WaitBegin, 9, 100_001, 0x40),
        (WaitEnd, 9, 100_011, 0x40),
        (ImplicitEnd, 1, 100_011, 0),
        (ThreadEnd, 0, 100_011, 0),
    ];
    let mut timeline = timeline(&[first, second]);
    timeline.runtime = runtime.to_owned();
    timeline
}

#[test]
fn a_wait_for_dependences_is_not_useful() {
    is(&creates_with(TASKWAIT | DEPENDENCES | UNDEFERRED, "GNU libgomp"), [0.6, 0.6, 1.0, 1.0]);
}

#[test]
fn waits_that_were_not_recorded_are_not_taken_for_work() {
    let note = |timeline: &Timeline| text::page(timeline, 1).render(Paper::default()).contains("look like work");
    let seen = |timeline: Timeline| (timeline.efficiency().is_some(), note(&timeline));
    assert_eq!(seen(creates_with(DEPENDENCES | UNDEFERRED, "GNU libgomp GOMP_5.1")), (false, true));
    assert_eq!(seen(creates_with(DEPENDENCES, "GNU libgomp GOMP_5.1")), (true, false));
    assert_eq!(seen(creates_with(DEPENDENCES | UNDEFERRED, "LLVM OMP version: 5.0")), (true, false));
    let mut doacross = region([100_000, 50_000]);
    doacross.has_doacross = true;
    assert_eq!(seen(doacross), (false, true));
    let with = |events: &[&str]| {
        let mut timeline = region([100_000, 50_000]);
        timeline.facts.events = events.iter().map(|name| (*name).to_owned()).collect();
        timeline
    };
    assert_eq!(seen(with(&["regions", "sync", "tasks", "locks"])), (true, false));
    assert_eq!(seen(with(&["regions", "sync", "tasks"])), (false, true));
}

#[test]
fn time_before_the_first_region_counts() {
    let region = id(0, 1);
    let first: &[Written] = &[
        (ThreadBegin, 1, 100_000, 7),
        (RegionBegin, 2, 100_000, 0x40),
        (ImplicitBegin, 0, 100_000, region),
        (WaitBegin, 9, 200_000, 0x40),
        (WaitEnd, 9, 200_010, 0x40),
        (ImplicitEnd, 0, 200_010, 0),
        (RegionEnd, 0, 200_010, region),
        (ThreadEnd, 0, 200_010, 0),
    ];
    let second: &[Written] = &[
        (ThreadBegin, 2, 100_000, 8),
        (ImplicitBegin, 1, 100_000, region),
        (WaitBegin, 9, 200_000, 0x40),
        (WaitEnd, 9, 200_010, 0x40),
        (ImplicitEnd, 1, 200_010, 0),
        (ThreadEnd, 0, 200_010, 0),
    ];
    let loaded = |process: u64, loaded_ns: u64, is_attached: u64| {
        let words = [
            (place::BEGIN[0], 90_000),
            (place::BEGIN[1], 90_000),
            (place::PROCESS, process),
            (place::LOADED, loaded_ns),
            (place::ATTACHED, is_attached),
        ];
        let timeline = with_header(&words, &[first, second]);
        (timeline.begin_ns, timeline.threads[0].begin_ns, timeline)
    };
    let (begin_ns, thread_ns, timeline) = loaded(7, 1000, 0);
    assert_eq!((begin_ns, thread_ns, timeline.threads[1].begin_ns), (1000, 1000, 100_000));
    is(&timeline, [0.75, 0.75, 1.0, 1.0]);
    for (process, loaded_ns, is_attached, expected) in
        [(7, 0, 0, 90_000), (7, 95_000, 0, 90_000), (7, 1000, 1, 90_000), (9, 1000, 0, 1000)]
    {
        let (begin_ns, thread_ns, _) = loaded(process, loaded_ns, is_attached);
        assert_eq!((begin_ns, thread_ns), (expected, 100_000), "{process} {loaded_ns} {is_attached}");
    }
}
