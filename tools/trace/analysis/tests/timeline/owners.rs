//! Time outside of regions, and efficiencies, where more is around a region than serial code of one thread.

use terminal::page::Paper;
use trace_analysis::{Timeline, text};
use trace_format::Kind::*;

use crate::efficiency::is;
use crate::events::{Written, attached_at, id, timeline};

const MS: u64 = 1_000_000;

/// Report of a process with two processors, in one line.
fn report(mut timeline: Timeline) -> String {
    timeline.facts.processors = Some(2);
    let text = text::page(&timeline, 10).render(Paper::default());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A region of a lane, its first, as its thread sees it.
fn region(lane: u32, begin: u64, end: u64) -> Vec<Written> {
    let region = id(lane, 1);
    let mut events = vec![(RegionBegin, 2, begin, 0x40)];
    events.extend(member(0, region, [begin, end - 1, end]));
    events.push((RegionEnd, 0, end, region));
    events
}

/// A thread's part of a region: its start, the start of its last barrier, and the end.
fn member(number: u16, region: u64, [begin, arrives, end]: [u64; 3]) -> [Written; 4] {
    [
        (ImplicitBegin, number, begin, region),
        (WaitBegin, 9, arrives, 0),
        (WaitEnd, 9, end, 0),
        (ImplicitEnd, number, end, 0),
    ]
}

/// A thread from its start to its end.
fn thread(kind: u16, [begin, end]: [u64; 2], events: &[Written]) -> Vec<Written> {
    let around = |kind, at| (kind, 0, at, begin);
    let begins = (ThreadBegin, kind, begin, begin + u64::from(kind));
    [&[begins][..], events, &[around(ThreadEnd, end)]].concat()
}

#[test]
fn a_region_inside_of_something_else_is_no_serial_code() {
    let (from, to) = (1, 100 * MS + 1);
    let lock: [&[Written]; 2] = [&[(MutexAcquire, 1, 1, 0x50), (MutexAcquired, 1, 1, 9)], &[(MutexReleased, 1, to, 9)]];
    let group: [&[Written]; 2] = [&[(GroupBegin, 0, 1, 0x50)], &[(GroupEnd, 0, to, 0x50)]];
    let task: [&[Written]; 2] =
        [&[(TaskCreate, 0, 1, 0x50), (TaskSchedule, 7, 1, id(0, 1))], &[(TaskSchedule, 1, to, 0)]];
    let worker = thread(2, [from, to], &member(1, id(0, 1), [from, from + 50 * MS, to]));
    for [before, behind] in [[&[][..], &[]], lock, group, task] {
        let events = [before, &region(0, from, to), behind].concat();
        let timeline = timeline(&[&thread(1, [from, to], &events), &worker]);
        is(&timeline, [0.75, 0.75, 1.0, 1.0]);
        assert!(!report(timeline).contains("outside of parallel regions"), "{before:?}");
    }
}

#[test]
fn a_region_that_had_begun_before_is_no_serial_code() {
    let waits: &[Written] = &[(WaitBegin, 3, 10 * MS, 0x50), (WaitEnd, 3, 10 * MS, 0x50), (Control, 0, 100 * MS, 0)];
    let lane = [&[(ThreadBegin, 1, 5 * MS, 7)], waits, &region(0, 100 * MS, 110 * MS)].concat();
    let worker = member(1, id(0, 1), [100 * MS, 109 * MS, 110 * MS]);
    // All threads that existed before are reported as initial ones.
    let worker = [&[(ThreadBegin, 1, 5 * MS, 8)], waits, &worker].concat();
    let timeline = attached_at(MS, &[&lane, &worker]);
    assert_eq!((timeline.threads_begun_before(), timeline.efficiency()), (2, None));
    assert!(!report(timeline).contains("outside of parallel regions"));
}

#[test]
fn user_threads_that_follow_one_another_are_one_chain_of_work() {
    let lanes: Vec<_> = (0_u32..3)
        .flat_map(|turn| {
            let span @ [begin, end] = [u64::from(turn), u64::from(turn) + 1].map(|turn| 100 * MS * turn);
            let owner = thread(1, span, &region(2 * turn, begin, end));
            [owner, thread(2, span, &member(1, id(2 * turn, 1), [begin, end - 50 * MS, end]))]
        })
        .collect();
    let lanes: Vec<&[Written]> = lanes.iter().map(Vec::as_slice).collect();
    is(&timeline(&lanes), [0.75, 0.75, 1.0, 1.0]);
}

#[test]
fn user_threads_at_the_same_time_are_no_chain_of_work() {
    let (short, long) = ([0, 50 * MS], [0, 100 * MS]);
    let of = |kind, [begin, end]: [u64; 2], lane| match kind {
        1 => thread(kind, [begin, 100 * MS], &region(lane, begin, end)),
        _ => thread(kind, [begin, end], &member(1, id(lane, 1), [begin, end - 1, end])),
    };
    let lanes = [of(1, long, 0), of(2, long, 0), of(1, short, 2), of(2, short, 2)];
    let both = timeline(&lanes.each_ref().map(Vec::as_slice));
    // The second user thread is outside of regions in its second half.
    is(&both, [0.875, 0.875, 1.0, 1.0]);
    // The first one computes meanwhile.
    assert!(!report(both).contains("outside of parallel regions"));
    let alone = timeline(&[&thread(1, [0, 200 * MS], &region(0, 0, 100 * MS)), &lanes[1]]);
    let alone = report(alone);
    assert!(alone.contains("50.00 %, 100.000 ms, of the wall time are spent in code outside"), "{alone}");
}

#[test]
fn work_in_a_nested_region_counts_once() {
    let (outer, inner, end) = (id(0, 1), id(0, 2), 100 * MS);
    let nested = [
        &[(ThreadBegin, 1, 0, 7), (RegionBegin, 2, 0, 0x40), (ImplicitBegin, 0, 0, outer)][..],
        &[(RegionBegin, 2, 50 * MS, 0x50)],
        &member(0, inner, [50 * MS, end - 3, end - 2]),
        &[(RegionEnd, 0, end - 2, inner), (WaitBegin, 9, end - 1, 0x40), (WaitEnd, 9, end, 0x40)],
        &[(ImplicitEnd, 0, end, 0)],
        &[(RegionEnd, 0, end, outer), (ThreadEnd, 0, end, 0)],
    ];
    let second = thread(2, [0, end], &member(1, outer, [0, end - 1, end]));
    let third = thread(2, [0, end], &member(1, inner, [50 * MS, end - 3, end - 2]));
    is(&timeline(&[&nested.concat(), &second, &third]), [2.5 / 3.0, 2.5 / 3.0, 1.0, 1.0]);
}

#[test]
fn a_league_is_no_region() {
    let inner = member(0, id(0, 2), [10, 90 * MS, 90 * MS]);
    let events: &[Written] = &[
        &[(LeagueBegin, 1, 1, 0x40), (RegionBegin, 2, 10, 0x50)][..],
        &inner,
        &[(RegionEnd, 0, 90 * MS, id(0, 2)), (RegionEnd, 0, 100 * MS, id(0, 1))],
    ]
    .concat();
    let timeline = timeline(&[&thread(1, [0, 100 * MS], events)]);
    assert_eq!((timeline.counts.regions, timeline.counts.leagues), (1, 1));
    let document = trace_analysis::json::document(std::slice::from_ref(&timeline), None, 10).unwrap();
    assert_eq!(document.matches("\"is_over\"").count(), 1, "{document}");
    assert_eq!(report(timeline).matches("(unknown)").count(), 1);
}

#[test]
fn a_worker_that_the_processs_end_finds_at_the_last_barrier_has_worked_before_it() {
    let owner = thread(1, [0, 100 * MS], &region(0, 0, 100 * MS));
    for arrives in [50 * MS, 100 * MS] {
        let worker: &[Written] = &[(ThreadBegin, 2, 0, 9), (ImplicitBegin, 1, 0, id(0, 1)), (WaitBegin, 9, arrives, 0)];
        let timeline = timeline(&[&owner, worker]);
        let wait = timeline.threads[1].slices[1];
        assert_eq!((wait.begin_ns, wait.end_ns, timeline.threads[1].end_ns), (arrives, 100 * MS, 100 * MS));
        let share = 0.5 + 0.5 * arrives as f64 / (100 * MS) as f64;
        is(&timeline, [share, share, 1.0, 1.0]);
    }
    // The region isn't over.
    let open: &[Written] = &[(ThreadBegin, 2, 0, 9), (ImplicitBegin, 1, 0, id(0, 1)), (WaitBegin, 9, 50 * MS, 0)];
    let thread = timeline(&[open]).threads[0].clone();
    assert!(thread.end_ns == 50 * MS && thread.slices.iter().all(|slice| slice.end_ns == 50 * MS), "{thread:?}");
}
