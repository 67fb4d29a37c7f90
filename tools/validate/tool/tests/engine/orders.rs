//! Events of two threads whose order the runtime doesn't determine: no order of them is a violation.

use validate_layout::event::Mutex::{Acquired, Released};

use crate::script::*;

const CRITICAL: i32 = 5;

#[test]
fn a_thread_may_create_tasks_behind_a_barrier_before_another_leaves_it() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    script.thread_begin(2, 2);
    let (region, tasks) = script.region(initial, 2);
    let early = script.create(1, tasks[0], EXPLICIT);
    script.sync(1, BARRIER, BEGIN, Some(region), tasks[0]);
    script.sync(2, BARRIER, BEGIN, Some(region), tasks[1]);
    script.execute(2, tasks[1], early);
    script.sync(1, BARRIER, END, Some(region), tasks[0]);
    let late = script.create(1, tasks[0], EXPLICIT);
    script.sync(2, BARRIER, END, Some(region), tasks[1]);
    script.is_clean();
    script.sync(1, BARRIER, BEGIN, Some(region), tasks[0]);
    script.sync(2, BARRIER, BEGIN, Some(region), tasks[1]);
    script.sync(2, BARRIER, END, Some(region), tasks[1]);
    script.sync(1, BARRIER, END, Some(region), tasks[0]);
    script.execute(1, tasks[0], late);
    script.join(region, initial, &tasks);
    assert_eq!(script.found(), ["barrier.tasks"]);
}

#[test]
fn who_has_released_a_mutex_may_say_so_late_but_next() {
    let mut script = Script::strict();
    let initial = script.initial(1);
    for thread in [2, 3] {
        script.thread_begin(thread, 2);
    }
    script.region(initial, 3);
    for thread in [1, 2, 3] {
        script.acquire(thread, CRITICAL, 64);
    }
    script.mutex(1, Acquired, CRITICAL, 64);
    script.mutex(2, Acquired, CRITICAL, 64);
    script.mutex(3, Acquired, CRITICAL, 64);
    for thread in [2, 1, 3] {
        script.mutex(thread, Released, CRITICAL, 64);
    }
    script.is_clean();
    script.acquire(1, CRITICAL, 64);
    script.acquire(2, CRITICAL, 64);
    script.mutex(1, Acquired, CRITICAL, 64);
    script.mutex(2, Acquired, CRITICAL, 64);
    // Thread 1 does something first, which shows that it was inside when thread 2 entered.
    script.acquire(1, CRITICAL, 128);
    assert_eq!(script.found(), ["mutex.exclusive"]);
}
