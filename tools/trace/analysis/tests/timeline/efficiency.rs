//! Efficiencies of traces whose answers are known.

use trace_analysis::{Efficiency, Timeline};
use trace_format::Kind::*;

use crate::events::{Written, id, timeline};

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

fn is(timeline: &Timeline, wanted: [f64; 4]) {
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
