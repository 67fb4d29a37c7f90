//! Rooms of regions: found while open, and with sums that do not mix.

use super::places::PROBES;
use super::*;
use crate::area::SharedArea;
use crate::stat::layout::Area;

fn ran(ns: u64) -> Share {
    Share { work_ns: ns, ran_ns: ns, waited_ns: 0, path_ns: ns }
}

#[test]
fn a_region_is_found_while_it_is_open_also_beside_others_of_its_place() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let open = shared.area().instances(0).unwrap();
    let many = OPEN as u64;
    let same_place = |n: u64| 7 + n * many;
    for n in 0..many {
        assert!(open.open(same_place(n)).is_some(), "{n}");
    }
    assert!((0..many).all(|n| open.find(same_place(n)).is_some_and(|room| room.is_of(same_place(n)))));
    assert!(!open.has_refused(same_place(many)));
    assert!(open.open(same_place(many)).is_none() && open.has_refused(same_place(many)), "no room");
    assert!(open.find(same_place(many)).is_none());
    open.find(same_place(2)).unwrap().close(same_place(2));
    assert!(open.find(same_place(2)).is_none() && open.find(same_place(many - 1)).is_some());
    assert!(open.has_refused(same_place(many)), "also when there is room again");
    assert!(open.open(same_place(many + 1)).is_some() && !open.has_refused(same_place(many + 1)));
    assert!(open.open(0).is_none() && open.find(0).is_none() && !open.has_refused(0));
}

/// Each thread has regions of its own at the same places as the others', of one member each.
#[test]
fn threads_that_claim_rooms_at_a_time_have_different_ones() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let open = shared.area().instances(0).unwrap();
    std::thread::scope(|scope| {
        for thread in 1..=4 {
            scope.spawn(move || {
                for n in 0..20_000 {
                    let region = thread + n * OPEN as u64;
                    let room = open.open(region).unwrap();
                    open.find(region).unwrap().arrive(0, ran(region), region);
                    let phase = room.take(region, 0);
                    assert_eq!((phase.members, phase.work_ns, phase.begin_ns), (1, region, region));
                    room.close(region);
                }
            });
        }
    });
}

#[test]
fn only_one_thread_at_a_time_has_a_threads_room() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let open = shared.area().instances(0).unwrap();
    let later = u32::try_from(OPEN).unwrap() + 3;
    open.open_alone(1, 3).unwrap().leave_empty(1);
    assert!(open.open_alone(2, later).is_none() && open.open_alone(2, 3).is_some());
    open.leave_room(3);
    open.find(2).unwrap().leave_empty(2);
    assert!(open.open_alone(3, later).is_none(), "it had a region open");
    open.leave_room(3);
    assert!(open.open_alone(3, later).is_some());
}

#[test]
fn a_thread_that_is_alone_has_the_same_room_again() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let open = shared.area().instances(0).unwrap();
    let many = OPEN as u64;
    for thread in [0, 127, 128, 131] {
        let rooms = [1, 1 + many, 2].map(|region| {
            let room = open.open_alone(region, thread).unwrap();
            assert!(std::ptr::eq(room, open.find(region).unwrap()));
            room.leave_empty(region);
            assert!(open.find(region).is_none());
            room
        });
        assert!(rooms.iter().all(|room| std::ptr::eq(*room, rooms[0])), "{thread}");
        open.leave_room(thread);
    }
    assert!(open.open_alone(0, 0).is_none());
    // Among regions with the same place in the index, some are found.
    for n in 0..PROBES {
        let room = open.open_alone(5 + n * many, u32::try_from(n).unwrap()).unwrap();
        assert!((0..=n).all(|n| open.find(5 + n * many).is_some_and(|room| room.is_of(5 + n * many))), "{room:?}");
    }
    assert!(open.open_alone(5 + PROBES * many, 9).is_none(), "no place");
    assert!(open.open_alone(6, u32::try_from(OPEN).unwrap()).is_none(), "no room");
    assert!(open.open(5).is_some_and(|room| room.is_of(5)));
}

#[test]
fn who_has_lost_its_place_takes_nothing() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let one = shared.area().instances(0).unwrap().open(1).unwrap();
    one.region.store(2, Relaxed);
    one.arrive(0, ran(30), 100);
    assert_eq!((one.take(1, 0), one.close(1)), (Phase::default(), Left::default()));
    assert_eq!(one.take(2, 0).members, 1);
}

#[test]
fn phases_do_not_mix_and_are_taken_once() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let open = shared.area().instances(0).unwrap();
    let one = open.open(1).unwrap();
    one.arrive(0, ran(30), 100);
    one.arrive(0, Share { work_ns: 10, ran_ns: 8, waited_ns: 6, path_ns: 14 }, 120);
    one.arrive(1, ran(5), 200);
    let told = Share { work_ns: 10, ran_ns: 8, waited_ns: 6, path_ns: 14 };
    one.grow(0, Share { work_ns: 25, ran_ns: 20, ..told }, told, 120);
    let first = Phase {
        members: 2,
        work_ns: 55,
        held_ns: 5,
        max_ns: 30,
        begin_ns: 220,
        waited_ns: 6,
        longest_at_ns: 0,
        path_ns: 30,
    };
    assert_eq!(one.take(1, 0), first);
    assert_eq!(one.take(1, 0), Phase::default());
    let second = Phase { members: 1, work_ns: 5, max_ns: 5, begin_ns: 200, path_ns: 5, ..Phase::default() };
    assert_eq!(one.take(1, 1), second);
    one.arrive(0, ran(LONG_NS), 300);
    one.arrive(0, ran(LONG_NS - 1), 100);
    assert_eq!(one.take(1, 0).longest_at_ns, LONG_NS + 300);
    one.nest(4);
    one.add_tasks(2);
    one.add_chunks(3);
    one.add_up(6);
    one.add_up(5);
    assert_eq!(one.close(1), Left { inner_ns: 4, tasks: 2, chunks: 3, whole_ns: 6 });
    assert_eq!(open.open(1).unwrap().close(1), Left::default());
}

#[test]
fn members_are_counted_however_many_they_are() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let one = shared.area().instances(0).unwrap().open(1).unwrap();
    for _ in 0..20_000 {
        one.arrive(0, ran(LONG_NS), u64::MAX / 3);
    }
    let phase = one.take(1, 0);
    assert_eq!((phase.members, phase.work_ns), (20_000, 20_000 * LONG_NS));
    assert_eq!(phase.begin_ns, (u64::MAX / 3).wrapping_mul(20_000));
}
