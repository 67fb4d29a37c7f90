//! Tests of the records of threads.

use super::*;
use crate::stat::shares::Load;
use stat_layout::area::SharedArea;
use stat_layout::stat::layout::THREADS;

#[test]
fn a_barrier_may_have_been_waited_at_where_threads_found_no_slot() {
    let shared = Box::leak(Box::new(SharedArea::<Area>::create(0).unwrap()));
    let area = shared.area();
    let (index, slot) = area.claim_thread().unwrap();
    let rings = Rings { joins: area.joins(0), instances: area.instances(0) };
    let now = |at_ns| Load { at_ns, work_ns: at_ns, held_ns: 0, tasks: 0, chunks: 0 };
    let mut local = local().unwrap();
    local.born(0, Before::default());
    local.place = Place::Has(index, slot, rings);
    local.on_libgomp = true;
    local.shares.fork(1, now(0), rings.instances, area.regions.row(index, 0x1000));
    local.shares.arrive(now(5));
    area.process_table.header.threads.store(u32::try_from(THREADS).unwrap(), Relaxed);
    assert!(local.is_alone_at_barrier(area));
    assert!(claim_thread(area, &FreeList::new()).is_none());
    assert!(!local.is_alone_at_barrier(area), "a member without a slot may have come later");
}

#[test]
fn slots_of_ended_threads_are_taken_again_only_when_many_are_in_use() {
    let shared = SharedArea::<Area>::create(0).unwrap();
    let area = shared.area();
    let free = FreeList::new();
    for wanted in [0, 1] {
        let (index, slot) = claim_thread(area, &free).unwrap();
        assert_eq!(index, wanted);
        free.give(index, &slot.next_free);
    }
    area.process_table.header.threads.store(MAX_UNSHARED_ROWS, Relaxed);
    let taken = (0..3).map(|_| claim_thread(area, &free).unwrap().0).collect::<Vec<_>>();
    assert_eq!(taken, [1, 0, MAX_UNSHARED_ROWS]);
}

#[test]
fn of_many_threads_some_count_the_first_events_of_all() {
    let shared = Box::leak(Box::new(SharedArea::<Area>::create(0).unwrap()));
    let (index, slot) = shared.area().claim_thread().unwrap();
    let mut local = local().unwrap();
    local.place = Place::Has(index, slot, Rings { joins: None, instances: None });
    let mut costs = Vec::new();
    for _ in 0..200 {
        (local.once, _) = Once::begin();
        let (begun_ns, before_ns) = (local.begin_first().unwrap(), slot.watching.added_ns());
        (0..100).for_each(|turn| _ = std::hint::black_box(turn));
        local.end_first(begun_ns);
        costs.push((begun_ns > 0, slot.watching.added_ns() - before_ns));
    }
    assert!(costs.iter().all(|(measures, cost_ns)| *measures || *cost_ns == 0), "{costs:?}");
    let measured = costs.iter().filter(|(measures, _)| *measures).count();
    assert!((9..=42).contains(&measured), "{measured}");
    assert!(costs.iter().any(|(_, cost_ns)| *cost_ns > 0), "{costs:?}");
}

#[test]
fn the_creation_of_a_threads_record_is_counted_with_its_first_event() {
    let shared = Box::leak(Box::new(SharedArea::<Area>::create(0).unwrap()));
    let (index, slot) = shared.area().claim_thread().unwrap();
    let mut local = local().unwrap();
    let record_ns = 5_000;
    local.once = Once::new();
    local.once.record_ns = record_ns;
    local.renew(1);
    local.place = Place::Has(index, slot, Rings { joins: None, instances: None });
    let begun_ns = local.begin_first().unwrap();
    local.end_first(begun_ns);
    assert_eq!(local.once.record_ns, 0);
    assert!(slot.watching.added_ns() >= record_ns);
}
