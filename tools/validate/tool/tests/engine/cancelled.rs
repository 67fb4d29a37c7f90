//! Constructs that a cancellation leaves unfinished don't violate rules.

use crate::script::*;

const DISCARDED_GROUP: i32 = 0x48;
const GROUP: i32 = 0x18;

/// A region of two threads with a taskgroup, in which one task runs and another hasn't started.
fn group(script: &mut Script) -> (u64, Vec<u64>, u64, u64) {
    let initial = script.initial(1);
    script.thread_begin(2, 2);
    let (region, tasks) = script.region(initial, 2);
    script.sync(1, TASKGROUP, BEGIN, Some(region), tasks[0]);
    let first = script.create(1, tasks[0], EXPLICIT);
    let second = script.create(1, tasks[0], EXPLICIT);
    script.schedule(1, tasks[0], SWITCH, first);
    (region, tasks, first, second)
}

#[test]
fn tasks_of_a_cancelled_taskgroup_may_never_be_reported_again() {
    let mut script = Script::strict();
    let (region, tasks, first, _) = group(&mut script);
    script.cancel(1, first, GROUP);
    script.schedule(1, first, COMPLETE, tasks[0]);
    script.sync(1, TASKGROUP, END, Some(region), tasks[0]);
    script.sync(1, TASKWAIT, BEGIN, Some(region), tasks[0]);
    script.sync(1, TASKWAIT, END, Some(region), tasks[0]);
    script.is_clean();
}

#[test]
fn a_discarded_task_is_one_that_has_not_begun() {
    let mut script = Script::strict();
    let (region, tasks, first, second) = group(&mut script);
    script.cancel(1, first, GROUP);
    script.cancel(1, second, DISCARDED_GROUP);
    script.schedule(1, first, COMPLETE, tasks[0]);
    script.sync(1, TASKGROUP, END, Some(region), tasks[0]);
    script.is_clean();
    let (_, _, first, _) = group(&mut Script::strict());
    let mut script = Script::strict();
    group(&mut script);
    script.cancel(1, first, DISCARDED_GROUP);
    assert_eq!(script.found(), ["cancel.task"]);
}

#[test]
fn a_task_that_runs_in_a_cancelled_taskgroup_must_end() {
    let mut script = Script::strict();
    let (region, tasks, first, _) = group(&mut script);
    script.cancel(1, first, GROUP);
    script.schedule(1, first, SWITCH, tasks[0]);
    script.sync(1, TASKGROUP, END, Some(region), tasks[0]);
    assert_eq!(script.found(), ["taskgroup.tasks"]);
}

#[test]
fn barriers_of_a_cancelled_region_do_not_wait_also_before_that_is_known() {
    for (flags, expected) in [(Some(0x11), &[][..]), (None, &["barrier.tasks"])] {
        let mut script = Script::strict();
        let initial = script.initial(1);
        script.thread_begin(2, 2);
        let (region, tasks) = script.region(initial, 2);
        let task = script.create(1, tasks[0], EXPLICIT);
        script.schedule(2, tasks[1], SWITCH, task);
        script.sync(1, BARRIER, BEGIN, Some(region), tasks[0]);
        script.sync(1, BARRIER, END, Some(region), tasks[0]);
        script.is_clean();
        script.schedule(2, task, COMPLETE, tasks[1]);
        if let Some(flags) = flags {
            script.cancel(2, tasks[1], flags);
        }
        script.sync(2, BARRIER, BEGIN, Some(region), tasks[1]);
        script.sync(2, BARRIER, END, Some(region), tasks[1]);
        script.join(region, initial, &tasks);
        assert_eq!(script.found(), expected);
    }
}

#[test]
fn libomp_says_that_a_discarded_task_is_complete() {
    let play = |mut script: Script| {
        let (_, _, first, second) = group(&mut script);
        script.cancel(1, first, GROUP);
        script.cancel(1, second, DISCARDED_GROUP);
        script.schedule(1, second, COMPLETE, first);
        script.found()
    };
    assert_eq!(play(Script::libomp()), [""; 0]);
    assert_eq!(play(Script::strict()), ["schedule.prior", "schedule.next"]);
}

#[test]
fn a_cancelled_loop_may_lack_its_end_and_another_one_may_not() {
    let dynamic = 11;
    for (flags, expected) in [(Some(0x14), &[][..]), (None, &["work.barrier"])] {
        let mut script = Script::strict();
        let initial = script.initial(1);
        let (region, tasks) = script.region(initial, 1);
        script.work(1, dynamic, BEGIN, region, tasks[0]);
        if let Some(flags) = flags {
            script.cancel(1, tasks[0], flags);
        }
        script.sync(1, BARRIER, BEGIN, Some(region), tasks[0]);
        assert_eq!(script.found(), expected);
    }
}
