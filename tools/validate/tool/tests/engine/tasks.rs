//! Explicit tasks.

use crate::script::*;

/// Starts a region of two threads; returns it and its implicit tasks.
fn team(script: &mut Script) -> (u64, u64, Vec<u64>) {
    let initial = script.initial(1);
    script.thread_begin(2, 2);
    let (region, tasks) = script.region(initial, 2);
    (initial, region, tasks)
}

#[test]
fn a_task_may_run_on_any_thread_and_goes_on_where_it_began() {
    let mut script = Script::strict();
    let (initial, region, tasks) = team(&mut script);
    let first = script.create(1, tasks[0], EXPLICIT);
    let second = script.create(1, tasks[0], EXPLICIT);
    script.sync(2, BARRIER, BEGIN, Some(region), tasks[1]);
    script.schedule(2, tasks[1], SWITCH, first);
    script.schedule(2, first, SWITCH, second);
    script.schedule(2, second, COMPLETE, first);
    script.schedule(2, first, COMPLETE, tasks[1]);
    script.sync(1, BARRIER, BEGIN, Some(region), tasks[0]);
    script.sync(1, BARRIER, END, Some(region), tasks[0]);
    script.sync(2, BARRIER, END, Some(region), tasks[1]);
    script.join(region, initial, &tasks);
    script.is_clean();
}

#[test]
fn a_tied_task_that_moves_is_found_and_an_untied_one_may() {
    for (flags, expected) in [(EXPLICIT, &["schedule.tied"][..]), (EXPLICIT | UNTIED, &[])] {
        let mut script = Script::strict();
        let (_, _, tasks) = team(&mut script);
        let task = script.create(1, tasks[0], flags);
        script.schedule(1, tasks[0], SWITCH, task);
        script.schedule(1, task, SWITCH, tasks[0]);
        script.schedule(2, tasks[1], SWITCH, task);
        assert_eq!(script.found(), expected);
    }
}

#[test]
fn a_task_that_runs_twice_or_after_its_end_is_found() {
    let mut script = Script::strict();
    let (_, _, tasks) = team(&mut script);
    let task = script.create(1, tasks[0], EXPLICIT);
    script.schedule(1, tasks[0], SWITCH, task);
    script.schedule(2, tasks[1], SWITCH, task);
    assert_eq!(script.found(), ["schedule.next"]);
    let mut script = Script::strict();
    let (_, _, tasks) = team(&mut script);
    let task = script.create(1, tasks[0], EXPLICIT);
    script.execute(1, tasks[0], task);
    script.is_clean();
    script.schedule(2, tasks[1], SWITCH, task);
    assert_eq!(script.found(), ["schedule.next"]);
}

#[test]
fn a_taskwait_waits_for_children_only_and_a_taskgroup_for_descendants() {
    let mut script = Script::strict();
    let (_, region, tasks) = team(&mut script);
    script.sync(1, TASKGROUP, BEGIN, Some(region), tasks[0]);
    let child = script.create(1, tasks[0], EXPLICIT);
    script.schedule(1, tasks[0], SWITCH, child);
    let grandchild = script.create(1, child, EXPLICIT);
    script.schedule(1, child, COMPLETE, tasks[0]);
    script.sync(1, TASKWAIT, BEGIN, Some(region), tasks[0]);
    script.sync(1, TASKWAIT, END, Some(region), tasks[0]);
    script.is_clean();
    script.sync(1, TASKGROUP, END, Some(region), tasks[0]);
    assert_eq!(script.found(), ["taskgroup.tasks"]);
    script.execute(2, tasks[1], grandchild);
    script.create(1, tasks[0], EXPLICIT);
    script.sync(1, TASKWAIT, BEGIN, Some(region), tasks[0]);
    script.sync(1, TASKWAIT, END, Some(region), tasks[0]);
    assert_eq!(script.found(), ["taskwait.children"]);
}

#[test]
fn the_cost_of_a_task_does_not_depend_on_the_number_of_taskgroups_around_it() {
    const LEVELS: usize = 50_000;
    let mut script = Script::strict();
    let (_, region, tasks) = team(&mut script);
    let began = std::time::Instant::now();
    for _ in 0..LEVELS {
        script.sync(1, TASKGROUP, BEGIN, Some(region), tasks[0]);
        let done = script.create(1, tasks[0], EXPLICIT);
        script.execute(1, tasks[0], done);
    }
    let created: Vec<u64> = (0..LEVELS).map(|_| script.create(1, tasks[0], EXPLICIT)).collect();
    for task in created {
        script.execute(1, tasks[0], task);
    }
    for _ in 2..LEVELS {
        script.sync(1, TASKGROUP, END, Some(region), tasks[0]);
    }
    assert!(began.elapsed() < std::time::Duration::from_secs(10), "{:?}", began.elapsed());
    script.create(1, tasks[0], EXPLICIT);
    script.is_clean();
    script.sync(1, TASKGROUP, END, Some(region), tasks[0]);
    assert_eq!(script.found(), ["taskgroup.tasks"]);
}

#[test]
fn a_taskwait_with_dependences_waits_for_some_children() {
    let mut script = Script::strict();
    let (_, region, tasks) = team(&mut script);
    script.create(1, tasks[0], EXPLICIT);
    script.sync(1, TASKWAIT, BEGIN, Some(region), tasks[0]);
    script.dependences(1, tasks[0], &[1]);
    script.sync(1, TASKWAIT, END, Some(region), tasks[0]);
    script.is_clean();
    // Since 5.1 this is a task that never runs.
    let wait = script.create_with(1, tasks[0], 0x10 | UNDEFERRED, 1);
    script.dependences(1, wait, &[1]);
    script.fulfill(1, wait, TASKWAIT_COMPLETE);
    script.sync(1, BARRIER, BEGIN, Some(region), tasks[0]);
    script.is_clean();
}

#[test]
fn the_creator_of_an_undeferred_task_waits() {
    let mut script = Script::strict();
    let (_, region, tasks) = team(&mut script);
    let task = script.create(1, tasks[0], EXPLICIT | UNDEFERRED);
    script.execute(1, tasks[0], task);
    script.sync(1, TASKWAIT, BEGIN, Some(region), tasks[0]);
    script.sync(1, TASKWAIT, END, Some(region), tasks[0]);
    script.is_clean();
    script.create(1, tasks[0], EXPLICIT | UNDEFERRED);
    script.work(1, 1, BEGIN, region, tasks[0]);
    assert_eq!(script.found(), ["task.undeferred"]);
}

#[test]
fn a_detached_task_is_complete_when_its_event_is_fulfilled() {
    let mut script = Script::strict();
    let (_, region, tasks) = team(&mut script);
    let task = script.create(1, tasks[0], EXPLICIT);
    script.schedule(2, tasks[1], SWITCH, task);
    script.schedule(2, task, DETACH, tasks[1]);
    script.sync(1, TASKWAIT, BEGIN, Some(region), tasks[0]);
    // A thread that doesn't use OpenMP may do it.
    script.fulfill(9, task, LATE_FULFILL);
    script.sync(1, TASKWAIT, END, Some(region), tasks[0]);
    script.is_clean();
    let task = script.create(1, tasks[0], EXPLICIT);
    script.fulfill(1, task, LATE_FULFILL);
    assert_eq!(script.found(), ["schedule.fulfill"]);
}

#[test]
fn dependences_come_when_they_were_promised() {
    let mut script = Script::strict();
    let (_, _, tasks) = team(&mut script);
    let first = script.create_with(1, tasks[0], EXPLICIT, 1);
    script.dependences(1, first, &[3]);
    let second = script.create_with(1, tasks[0], EXPLICIT, 1);
    script.dependences(1, second, &[1, 2]);
    script.event(1, validate_layout::event::Event::TaskDependence { source: word(first), sink: word(second) });
    script.execute(2, tasks[1], first);
    script.execute(2, tasks[1], second);
    script.is_clean();
    let third = script.create_with(1, tasks[0], EXPLICIT, 1);
    script.schedule(1, tasks[0], SWITCH, third);
    assert_eq!(script.found(), ["dependences.flag"]);
}

#[test]
fn doacross_dependences_are_the_current_tasks() {
    let mut script = Script::strict();
    let (_, _, tasks) = team(&mut script);
    let (source, sink) = (5, 6);
    script.dependences(1, tasks[0], &[source]);
    script.dependences(2, tasks[1], &[sink, sink]);
    script.is_clean();
    script.dependences(2, tasks[1], &[sink, 1]);
    assert!(script.found().contains(&"dependences.kind"));
    script.dependences(2, tasks[0], &[sink]);
    assert_eq!(script.found(), ["dependences.task"]);
}

#[test]
fn libomp_may_lose_sight_of_untied_tasks_and_others_may_not() {
    let play = |mut script: Script| {
        let (_, _, tasks) = team(&mut script);
        let task = script.create(1, tasks[0], EXPLICIT | UNTIED);
        script.schedule(1, tasks[0], SWITCH, task);
        script.schedule(1, task, SWITCH, tasks[0]);
        // The thread continues in the task without a report.
        script.schedule(1, task, COMPLETE, tasks[0]);
        script.found()
    };
    assert_eq!(play(Script::libomp()), [""; 0]);
    assert!(play(Script::strict()).contains(&"schedule.prior"));
}
