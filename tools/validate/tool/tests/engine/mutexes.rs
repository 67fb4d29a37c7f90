//! Locks, and regions that exclude each other.

use std::time::{Duration, Instant};

use validate_layout::event::Event;
use validate_layout::event::Mutex::{Acquired, Destroy, Released};

use crate::script::*;

const LOCK: i32 = 1;
const TEST_LOCK: i32 = 2;
const NEST_LOCK: i32 = 3;
const CRITICAL: i32 = 5;

#[test]
fn a_lock_may_be_tried_in_vain_and_released_by_another_thread() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    script.thread_begin(2, 2);
    script.region(initial, 2);
    script.acquire(1, LOCK, 64);
    script.mutex(1, Acquired, LOCK, 64);
    script.acquire(2, TEST_LOCK, 64);
    script.acquire(2, TEST_LOCK, 64);
    script.mutex(2, Released, LOCK, 64);
    script.is_clean();
    script.mutex(2, Released, LOCK, 64);
    assert_eq!(script.found(), ["mutex.release"]);
}

#[test]
fn a_critical_region_is_left_by_who_entered_it() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    script.thread_begin(2, 2);
    script.region(initial, 2);
    script.acquire(1, CRITICAL, 64);
    script.mutex(1, Acquired, CRITICAL, 64);
    script.mutex(2, Released, CRITICAL, 64);
    assert_eq!(script.found(), ["mutex.release"]);
}

#[test]
fn a_critical_region_that_is_never_left_is_found_at_the_end_of_the_region() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    let (region, tasks) = script.region(initial, 1);
    script.acquire(1, CRITICAL, 64);
    script.mutex(1, Acquired, CRITICAL, 64);
    script.join(region, initial, &tasks);
    assert_eq!(script.found(), ["mutex.left"]);
}

#[test]
fn a_nestable_lock_is_set_again_by_its_owner_only() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    script.thread_begin(2, 2);
    script.region(initial, 2);
    let nest = |endpoint| Event::NestLock { endpoint, wait: 64, code: CODE };
    script.acquire(1, NEST_LOCK, 64);
    script.mutex(1, Acquired, NEST_LOCK, 64);
    script.acquire(1, NEST_LOCK, 64);
    script.event(1, nest(BEGIN));
    script.event(1, nest(END));
    script.mutex(1, Released, NEST_LOCK, 64);
    script.is_clean();
    script.acquire(1, NEST_LOCK, 64);
    script.mutex(1, Acquired, NEST_LOCK, 64);
    script.event(2, nest(BEGIN));
    assert_eq!(script.found(), ["nest_lock.scope"]);
}

#[test]
fn a_lock_lives_from_init_to_destroy() {
    let mut script = Script::strict();
    script.initial(1);
    let init = || Event::MutexAcquire { init: true, kind: LOCK, hint: 0, implementation: 0, wait: 64, code: CODE };
    // A lock that was created before the tool was started is used as well.
    script.acquire(1, LOCK, 128);
    for _ in 0..2 {
        script.event(1, init());
        script.acquire(1, LOCK, 64);
        script.mutex(1, Acquired, LOCK, 64);
        script.mutex(1, Released, LOCK, 64);
        script.mutex(1, Destroy, LOCK, 64);
    }
    script.is_clean();
    script.acquire(1, LOCK, 64);
    assert_eq!(script.found(), ["lock.life"]);
}

#[test]
fn locks_are_released_in_any_order_without_a_search_of_those_that_are_held() {
    const LOCKS: u64 = 400_000;
    let mut script = Script::strict();
    let initial = script.initial(1);
    let (region, tasks) = script.region(initial, 1);
    let began = Instant::now();
    for lock in 1..=LOCKS {
        script.acquire(1, LOCK, lock);
        script.mutex(1, Acquired, LOCK, lock);
    }
    for lock in 1..=LOCKS {
        script.mutex(1, Released, LOCK, lock);
    }
    script.join(region, initial, &tasks);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    script.is_clean();
    script.mutex(1, Released, LOCK, 7);
    assert_eq!(script.found(), ["mutex.release"]);
}
