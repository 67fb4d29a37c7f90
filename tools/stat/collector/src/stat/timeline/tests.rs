//! Sequences of events on one thread, and the time that they charge to each activity.

use super::Happening::*;
use super::*;
use Activity::*;
use stat_layout::area::SharedArea;
use stat_layout::stat::layout::{ACTIVITIES, Area};

/// Plays events at given times on one thread; gives the times of all activities.
fn play(area: &Area, events: &[(u64, Happening)]) -> [u64; ACTIVITIES] {
    let mut timeline = Timeline::new();
    let (_, slot) = area.claim_thread().unwrap();
    timeline.start(slot, 0);
    for (at_ns, what) in events {
        timeline.happens(*what, *at_ns, slot, area.joins(0));
        assert_eq!(slot.since_ns(), *at_ns, "after {what:?}: all time is charged, none twice");
    }
    spent(slot)
}

fn spent(slot: &ThreadSlot) -> [u64; ACTIVITIES] {
    std::array::from_fn(|i| slot.spent_ns[i].load(Relaxed))
}

fn times(given: &[(Activity, u64)]) -> [u64; ACTIVITIES] {
    let mut all = [0; ACTIVITIES];
    for (activity, time) in given {
        all[*activity as usize] = *time;
    }
    all
}

#[test]
fn a_masters_time_is_serial_then_work_then_waits_then_serial() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let events = [
        (10, Fork(1)),
        (15, Begin(Critical)),
        (18, End(Critical)),
        (20, Begin(ImplicitBarrier)),
        (27, End(ImplicitBarrier)),
        (28, Join(1)),
        (40, Fork(2)),
        (45, Join(2)),
        (50, Begin(Lock)),
        (51, End(Lock)),
    ];
    let spent = play(shared.area(), &events);
    assert_eq!(spent, times(&[(Serial, 27), (Work, 13), (Critical, 3), (ImplicitBarrier, 7), (Lock, 1)]));
    let slot = shared.area().thread(0).unwrap();
    let read = |a: &std::sync::atomic::AtomicU64| a.load(Relaxed);
    assert_eq!([read(&slot.forks), read(&slot.joins), read(&slot.region_ns)], [2, 2, 23]);
    assert_eq!([read(&slot.region_min_ns), read(&slot.region_max_ns)], [5, 18]);
    assert_eq!(read(&slot.begun[ImplicitBarrier as usize]), 1);
}

#[test]
fn a_late_barrier_is_split_at_the_join() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    shared.area().joins(0).unwrap().put(1, 30);
    let events = [
        (0, BeginIdle),
        (10, EndIdle(1)),
        (20, Begin(ImplicitBarrier)),
        (90, End(ImplicitBarrier)),
        (90, BeginIdle),
        (91, EndIdle(2)),
        (95, Begin(ImplicitBarrier)),
    ];
    let spent = play(shared.area(), &events);
    assert_eq!(spent, times(&[(Idle, 71), (Work, 14), (ImplicitBarrier, 10)]));
    assert_eq!(shared.area().thread(0).unwrap().served.load(Relaxed), 2);
}

#[test]
fn a_late_barrier_whose_join_is_lost_was_idle_and_is_marked_as_a_guess() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    shared.area().joins(0).unwrap().put(1 + 1024, 30);
    let begin = [(0, BeginIdle), (0, EndIdle(1)), (20, Begin(ImplicitBarrier)), (90, End(ImplicitBarrier))];
    let last = play(shared.area(), &[&begin[..], &[(90, BeginIdle)]].concat());
    assert_eq!(last, times(&[(Work, 20), (Idle, 70)]));
    assert_eq!(shared.area().thread(0).unwrap().guessed_ns.load(Relaxed), 70);
    let inner = play(shared.area(), &[&begin[..], &[(95, Begin(Lock)), (99, End(Lock))]].concat());
    assert_eq!(inner, times(&[(Work, 25), (ImplicitBarrier, 70), (Lock, 4)]));
}

#[test]
fn regions_inside_waits_inside_regions_come_back_to_what_was_around() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let events = [
        (0, Fork(1)),
        (1, Begin(ExplicitBarrier)),
        (3, Fork(2)),
        (10, Begin(Lock)),
        (11, End(Lock)),
        (20, Join(2)),
        (22, End(ExplicitBarrier)),
        (25, Join(1)),
    ];
    assert_eq!(play(shared.area(), &events), times(&[(Work, 1 + 7 + 9 + 3), (ExplicitBarrier, 4), (Lock, 1)]));
}

#[test]
fn tasks_in_a_wait_are_work_and_the_rest_of_it_is_wait() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let events = [
        (0, Fork(1)),
        (1, Begin(ImplicitBarrier)),
        (3, BeginTask),
        (10, Begin(Lock)),
        (11, End(Lock)),
        (15, BeginTask),
        (20, EndTask),
        (22, EndTask),
        (25, End(ImplicitBarrier)),
        (26, Join(1)),
        (30, Fork(2)),
    ];
    let spent = play(shared.area(), &events);
    assert_eq!(spent, times(&[(Work, 1 + 18 + 1), (Lock, 1), (ImplicitBarrier, 2 + 3), (Serial, 4)]));
    let slot = shared.area().thread(0).unwrap();
    assert_eq!((slot.region_ns.load(Relaxed), slot.begun[ImplicitBarrier as usize].load(Relaxed)), (26, 1));
}

#[test]
fn a_task_that_ends_on_another_thread_is_over_with_the_wait_or_the_region_around_it() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let waited = [(0, Fork(1)), (1, Begin(ExplicitBarrier)), (2, BeginTask), (5, End(ExplicitBarrier)), (6, Join(1))];
    assert_eq!(play(shared.area(), &waited), times(&[(Work, 1 + 3 + 1), (ExplicitBarrier, 1)]));
    let left = [(0, EndTask), (1, Fork(1)), (2, BeginTask), (5, Join(1)), (9, Fork(2))];
    assert_eq!(play(shared.area(), &left), times(&[(Work, 4), (Serial, 1 + 4)]));
}

#[test]
fn what_a_jump_left_open_ends_with_what_is_around_it() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let events = [(0, Fork(1)), (1, Begin(Ordered)), (5, Begin(Lock)), (6, Join(1)), (9, Fork(2)), (10, Join(2))];
    assert_eq!(play(shared.area(), &events), times(&[(Work, 2), (Ordered, 4), (Lock, 1), (Serial, 3)]));
}

#[test]
fn an_end_without_a_begin_changes_nothing() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let events = [(4, End(Lock)), (5, Join(9)), (6, Fork(1)), (7, End(ImplicitBarrier)), (9, Join(1))];
    assert_eq!(play(shared.area(), &events), times(&[(Serial, 6), (Work, 3)]));
}

#[test]
fn nesting_beyond_the_depth_is_counted_and_undone() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let down = (0..300).map(|i| (i, Fork(i + 1)));
    let up = (0..300).map(|i| (300 + i, Join(300 - i)));
    let spent = play(shared.area(), &down.chain(up).chain([(700, Begin(Lock))]).collect::<Vec<_>>());
    assert_eq!(spent, times(&[(Work, 599), (Serial, 101)]));
    assert_eq!(shared.area().thread(0).unwrap().joins.load(Relaxed), DEPTH as u64 - 1);
}

#[test]
fn a_closed_thread_is_charged_up_to_its_end_and_for_what_comes_after() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let area = shared.area();
    area.joins(0).unwrap().put(1, 30);
    let (_, slot) = area.claim_thread().unwrap();
    let mut timeline = Timeline::new();
    timeline.start(slot, 5);
    for (at_ns, what) in [(5, EndIdle(1)), (20, Begin(ImplicitBarrier))] {
        timeline.happens(what, at_ns, slot, area.joins(0));
    }
    timeline.close(50, slot, area.joins(0));
    assert_eq!(spent(slot), times(&[(Work, 15), (ImplicitBarrier, 10), (Idle, 20)]));
    for (at_ns, what) in [(60, End(ImplicitBarrier)), (60, BeginIdle)] {
        timeline.happens(what, at_ns, slot, area.joins(0));
    }
    assert_eq!(spent(slot), times(&[(Work, 15), (ImplicitBarrier, 10), (Idle, 30)]));
}

#[test]
fn a_slot_that_is_used_again_goes_on_from_its_sums() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let (_, slot) = shared.area().claim_thread().unwrap();
    for begin in [100, 1000] {
        let mut timeline = Timeline::new();
        timeline.start(slot, begin);
        timeline.happens(EndIdle(1), begin + 10, slot, None);
        timeline.close(begin + 30, slot, None);
    }
    assert_eq!(spent(slot), times(&[(Serial, 20), (Work, 40)]));
    assert_eq!(slot.since_ns(), 1030);
    assert_eq!(slot.start_ns.load(Relaxed), 1030 - 60);
}

#[test]
fn the_time_until_a_regions_body_begins_is_the_runtimes() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let area = shared.area();
    let (_, slot) = area.claim_thread().unwrap();
    let mut timeline = Timeline::new();
    timeline.start(slot, 0);
    timeline.happens(Fork(1), 10, slot, None);
    timeline.begin_body(18, slot);
    timeline.begin_body(15, slot);
    timeline.happens(Begin(ImplicitBarrier), 30, slot, None);
    timeline.happens(Join(1), 31, slot, None);
    assert_eq!(spent(slot), times(&[(Serial, 10), (RegionStart, 8), (Work, 12), (ImplicitBarrier, 1)]));
    assert_eq!(slot.region_ns.load(Relaxed), 21, "from fork to join");
}
