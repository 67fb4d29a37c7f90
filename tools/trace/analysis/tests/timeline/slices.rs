//! Slices: what threads did.

use trace_analysis::{MAX_EVENTLESS_THREADS, Slice, Thread, What};
use trace_format::Kind::*;

use crate::events::{Written, attached_at, chunk, file, id, timeline, two_threads};

/// Kind, start and end of each slice, with the number of enclosing slices.
fn seen(thread: &Thread) -> Vec<(What, u64, u64, u16)> {
    thread.slices.iter().map(|it: &Slice| (it.what, it.begin_ns, it.end_ns, it.depth)).collect()
}

#[test]
fn slices_nest_as_the_program_did() {
    let timeline = two_threads();
    assert_eq!(
        timeline.threads.iter().map(|thread| (thread.tid, thread.kind)).collect::<Vec<_>>(),
        [(100, 1), (101, 2)]
    );
    assert_eq!(
        seen(&timeline.threads[1]),
        [
            (What::Implicit, 2_500, 99_100, 0),
            (What::Wait(3), 49_000, 50_000, 1),
            (What::MutexWait(5), 52_000, 70_100, 1),
            (What::Mutex(5), 70_100, 80_000, 1),
            (What::Wait(9), 81_000, 99_000, 1),
            (What::Task, 82_000, 92_000, 2),
        ]
    );
    assert_eq!(seen(&timeline.threads[0])[..2], [(What::Region, 1_000, 99_900, 0), (What::Implicit, 2_000, 99_500, 1)]);
    let region = timeline.regions[0];
    assert_eq!((region.team, region.begin_ns, region.end_ns, region.is_over), (2, 1_000, 99_900, true));
}

#[test]
fn a_region_that_had_begun_before_is_a_slice_from_the_begin_of_the_recording() {
    let events: &[Written] = &[
        (ThreadBegin, 1, 290, 9),
        (WaitBegin, 3, 300, 0x50),
        (WaitEnd, 3, 400, 0x50),
        (WorkBegin, 1, 420, 0x60),
        (WorkEnd, 1, 450, 0x60),
        (ImplicitBegin, 1, 900, id(1, 1)),
        (WaitBegin, 3, 910, 0x50),
        (WaitEnd, 3, 920, 0x50),
        (ImplicitEnd, 1, 950, 0),
    ];
    let timeline = attached_at(100, &[events]);
    let found = [
        (What::Before, 100, 450, 0),
        (What::Wait(3), 300, 400, 1),
        (What::Work(1), 420, 450, 1),
        (What::Implicit, 900, 950, 0),
        (What::Wait(3), 910, 920, 1),
    ];
    assert_eq!(seen(&timeline.threads[0]), found);
    assert_eq!(timeline.threads_begun_before(), 1);
}

#[test]
fn what_goes_on_at_the_end_of_the_recording_ends_there() {
    let events: &[Written] = &[(MutexAcquired, 5, 150, 7), (MutexReleased, 5, 200, 7), (WaitBegin, 3, 300, 0x50)];
    let timeline = attached_at(100, &[events]);
    assert_eq!(
        seen(&timeline.threads[0]),
        [(What::Mutex(5), 150, 200, 0), (What::Before, 200, 300, 0), (What::Wait(3), 300, 300, 1)]
    );
}

#[test]
fn threads_and_programs_that_begin_are_in_no_earlier_region() {
    let events: &[Written] = &[(ThreadBegin, 2, 200, 9), (WaitBegin, 3, 300, 0x50), (WaitEnd, 3, 400, 0x50)];
    let from_the_start: &[Written] = &events[1..];
    for timeline in [attached_at(100, &[events]), timeline(&[from_the_start])] {
        assert_eq!(seen(&timeline.threads[0]), [(What::Wait(3), 300, 400, 0)]);
        assert_eq!(timeline.threads_begun_before(), 0);
    }
}

#[test]
fn tasks_in_a_wait_are_no_part_of_it() {
    let timeline = two_threads();
    let wait = timeline.threads[1].slices[4];
    assert_eq!((wait.length_ns(), wait.idle_ns()), (18_000, 8_000));
    let task = timeline.tasks[0];
    assert_eq!((task.created_ns, task.begun_ns, task.ended_ns), (71_000, 82_000, 92_000));
    assert_eq!((task.creator, task.first), (0, (1, 5)));
}

#[test]
fn a_task_that_is_left_for_another_goes_on_later() {
    let (first, second) = (id(0, 1), id(0, 2));
    let events: &[Written] = &[
        (ThreadBegin, 1, 1, 1),
        (TaskCreate, 0, 2, 0x70),
        (TaskCreate, 0, 3, 0x80),
        (WaitBegin, 5, 4, 0x90),
        (TaskSchedule, 7, 10, first),
        (WaitBegin, 5, 11, 0x91),
        (TaskSchedule, 7, 20, second),
        (TaskSchedule, 1, 30, first),
        (WaitEnd, 5, 31, 0x91),
        (TaskSchedule, 1, 40, 0),
        (WaitEnd, 5, 41, 0x90),
    ];
    let timeline = timeline(&[events]);
    assert_eq!(
        seen(&timeline.threads[0]),
        [(What::Wait(5), 4, 41, 0), (What::Task, 10, 40, 1), (What::Wait(5), 11, 31, 2), (What::Task, 20, 30, 3),]
    );
    assert_eq!(timeline.threads[0].slices[0].idle_ns(), 7);
    assert_eq!((timeline.counts.tasks_executed, timeline.tasks[0].ended_ns, timeline.tasks[1].ended_ns), (2, 40, 30));
}

#[test]
fn a_worker_that_wakes_late_has_waited_up_to_the_regions_end() {
    let region = id(0, 1);
    let primary: &[Written] =
        &[(ThreadBegin, 1, 1, 1), (RegionBegin, 2, 2, 0x40), (RegionEnd, 0, 50, region), (ThreadEnd, 0, 99, 0)];
    let worker: &[Written] = &[
        (ThreadBegin, 2, 3, 2),
        (ImplicitBegin, 1, 4, region),
        (WaitBegin, 9, 40, 0x40),
        (WaitEnd, 9, 90, 0x40),
        (ImplicitEnd, 1, 91, 0),
    ];
    let timeline = timeline(&[primary, worker]);
    assert_eq!(seen(&timeline.threads[1]), [(What::Implicit, 4, 50, 0), (What::Wait(9), 40, 50, 1)]);
}

#[test]
fn a_lock_that_is_held_across_a_regions_end_nests_in_nothing() {
    let events: &[Written] = &[
        (ThreadBegin, 1, 1, 1),
        (RegionBegin, 1, 2, 0x40),
        (MutexAcquire, 1, 3, 0x50),
        (MutexAcquired, 1, 4, 9),
        (RegionEnd, 0, 5, id(0, 1)),
        (MutexReleased, 1, 8, 9),
        (ThreadEnd, 0, 10, 0),
    ];
    let timeline = timeline(&[events]);
    let lock = timeline.threads[0].slices[2];
    assert_eq!((lock.what, lock.begin_ns, lock.end_ns, lock.is_apart), (What::Mutex(1), 4, 8, true));
    assert_eq!(timeline.threads[0].slices[0].end_ns, 5);
}

#[test]
fn slices_after_a_lock_that_was_held_around_them_stay_inside_their_region() {
    let region = id(0, 1);
    let events: &[Written] = &[
        (ThreadBegin, 1, 1, 1),
        (MutexAcquired, 1, 2, 9),
        (RegionBegin, 1, 3, 0x40),
        (ImplicitBegin, 0, 4, region),
        (MutexReleased, 1, 5, 9),
        (WaitBegin, 9, 6, 0x40),
        (WaitEnd, 9, 7, 0x40),
        (ImplicitEnd, 0, 8, 0),
        (RegionEnd, 0, 9, region),
        (ThreadEnd, 0, 10, 0),
    ];
    let depths: Vec<u16> = seen(&timeline(&[events]).threads[0]).iter().map(|(_, _, _, depth)| *depth).collect();
    assert_eq!(depths, [0, 1, 2, 3]);
}

#[test]
fn a_region_begun_before_begins_after_what_the_thread_did_before() {
    let events: &[Written] = &[
        (MutexAcquired, 1, 150, 7),
        (GroupBegin, 0, 160, 0x40),
        (MutexReleased, 1, 170, 7),
        (GroupEnd, 0, 200, 0x40),
        (WaitBegin, 3, 300, 0x50),
    ];
    let timeline = attached_at(100, &[events]);
    let before = timeline.threads[0].slices.iter().find(|slice| slice.what == What::Before);
    assert_eq!(before.unwrap().begin_ns, 200);
}

#[test]
fn locks_are_released_in_any_order_without_a_search_of_those_that_are_held() {
    const LOCKS: u64 = 200_000;
    let mut events: Vec<Written> = vec![(ThreadBegin, 1, 1, 1), (RegionBegin, 1, 2, 0x40)];
    for lock in 0..LOCKS {
        events.extend([(MutexAcquire, 1, lock + 3, 0x50), (MutexAcquired, 1, lock + 3, lock)]);
    }
    events.extend((0..LOCKS / 2).map(|lock| (MutexReleased, 1, LOCKS + lock, lock)));
    events.push((RegionEnd, 0, 2 * LOCKS, id(0, 1)));
    events.extend((LOCKS / 2..LOCKS).rev().map(|lock| (MutexReleased, 1, 4 * LOCKS - lock, lock)));
    let began = std::time::Instant::now();
    let mut bytes = file(&[(1, &events[..2])]);
    for (number, events) in (2..).zip(events[2..].chunks(100_000)) {
        bytes.extend(chunk(0, number, events).iter().flat_map(|word| word.to_ne_bytes()));
    }
    let timeline = trace_analysis::of_events(&bytes).unwrap();
    assert!(began.elapsed() < std::time::Duration::from_secs(10), "{:?}", began.elapsed());
    let locks = timeline.threads[0].slices.iter().filter(|slice| matches!(slice.what, What::Mutex(_)));
    let held: Vec<_> = locks.map(|lock| (lock.begin_ns, lock.end_ns, lock.is_apart)).collect();
    assert_eq!(held.len() as u64, LOCKS);
    assert_eq!(held[10], (13, LOCKS + 10, true));
    assert_eq!(held[150_010], (150_013, 4 * LOCKS - 150_010, true));
}

#[test]
fn threads_of_one_lane_are_told_apart() {
    let events: &[Written] = &[
        (Recorder, 0, 1, 1),
        (ThreadBegin, 2, 1, 41),
        (ImplicitBegin, 1, 2, id(1, 1)),
        (ThreadEnd, 0, 5, 0),
        (ThreadBegin, 2, 7, 42),
        (ThreadEnd, 0, 9, 0),
    ];
    let timeline = timeline(&[events]);
    let threads: Vec<_> = timeline.threads.iter().map(|it| (it.tid, it.begin_ns, it.end_ns)).collect();
    assert_eq!(threads, [(41, 1, 5), (42, 7, 9)]);
    assert_eq!(timeline.threads[0].slices[0].end_ns, 5);
}

#[test]
fn slices_do_not_reach_over_what_a_ring_has_overwritten() {
    let before: &[Written] = &[(ThreadBegin, 1, 1, 1), (WaitBegin, 5, 2, 0x90), (Control, 0, 6, 0)];
    let behind: &[Written] = &[(WaitEnd, 5, 80, 0x90), (WaitBegin, 6, 90, 0x91), (WaitEnd, 6, 95, 0x91)];
    let mut bytes = file(&[(3, before)]);
    bytes.extend(chunk(0, 9, behind).iter().flat_map(|word| word.to_ne_bytes()));
    let timeline = trace_analysis::of_events(&bytes).unwrap();
    assert_eq!(seen(&timeline.threads[0]), [(What::Wait(5), 2, 6, 0), (What::Wait(6), 90, 95, 0)]);
}

#[test]
fn regions_do_not_reach_over_what_a_ring_has_overwritten() {
    // The end of the first region was overwritten, and so was the start of the one that ends after it.
    let before: &[Written] = &[(ThreadBegin, 1, 1, 1), (RegionBegin, 2, 2, 0x90), (Control, 0, 6, 0)];
    let behind: &[Written] = &[(RegionEnd, 2, 10, id(0, 7)), (RegionBegin, 2, 20, 0x90), (RegionEnd, 2, 25, id(0, 8))];
    let mut chunk = chunk(0, 9, behind);
    (chunk[3], chunk[4], chunk[5]) = (70, 70, 7); // its start by both clocks, and the regions before it
    let mut bytes = file(&[(3, before)]);
    bytes.extend(chunk.iter().flat_map(|word| word.to_ne_bytes()));
    let timeline = trace_analysis::of_events(&bytes).unwrap();
    let regions: Vec<_> = timeline.regions.iter().map(|region| (region.begin_ns, region.end_ns)).collect();
    assert_eq!(regions, [(2, 6), (70, 80), (90, 95)]);
}

/// A test of a lock that another thread has is asked for and never acquired.
#[test]
fn a_test_of_a_lock_that_is_not_free_is_no_wait() {
    let (lock, nest, code) = (7, 8, 0x40);
    let events: &[Written] = &[
        (ThreadBegin, 1, 100, 9),
        (MutexAcquire, 2, 200, code),
        (ClockPair, 0, 210, 210),
        (MutexAcquire, 2, 300, code),
        (WaitBegin, 3, 400, 0x50),
        (WaitEnd, 3, 500, 0x50),
        (MutexAcquire, 4, 600, code),
        (MutexAcquired, 4, 700, nest),
        (MutexAcquire, 2, 800, code),
        (MutexReleased, 4, 900, nest),
        (MutexAcquire, 1, 1_000, code),
        (MutexAcquired, 1, 1_100, lock),
        (MutexReleased, 1, 1_200, lock),
        (MutexAcquire, 2, 1_300, code),
        (ThreadEnd, 0, 9_000, 0),
    ];
    let timeline = timeline(&[events]);
    let expected = [
        (What::MutexWait(2), 200, 200, 0),
        (What::MutexWait(2), 300, 300, 0),
        (What::Wait(3), 400, 500, 0),
        (What::MutexWait(4), 600, 700, 0),
        (What::Mutex(4), 700, 900, 0),
        (What::MutexWait(2), 800, 800, 1),
        (What::MutexWait(1), 1_000, 1_100, 0),
        (What::Mutex(1), 1_100, 1_200, 0),
        (What::MutexWait(2), 1_300, 1_300, 0),
    ];
    assert_eq!(seen(&timeline.threads[0]), expected);
    assert_eq!(timeline.counts.locks, 2);
}

#[test]
fn threads_without_events_are_left_out_past_a_bound() {
    let begins = |events: &mut Vec<Written>, at: u64| {
        let tid = 1000 + at;
        events.extend([(ThreadBegin, 2, at, tid), (ThreadEnd, 0, at, 0)]);
    };
    let mut events = Vec::new();
    (0..MAX_EVENTLESS_THREADS as u64 + 7).for_each(|at| begins(&mut events, at));
    let (region, end) = (id(0, 1), 10_000);
    events.extend([(ThreadBegin, 1, end, 5), (RegionBegin, 1, end, 0x40), (RegionEnd, 0, end + 1, region)]);
    let timeline = timeline(&[&events]);
    assert_eq!((timeline.threads.len(), timeline.counts.threads_left_out), (MAX_EVENTLESS_THREADS + 1, 7));
    let last = timeline.threads.last().unwrap();
    assert_eq!((last.tid, timeline.regions[0].thread as usize), (5, MAX_EVENTLESS_THREADS));
}
