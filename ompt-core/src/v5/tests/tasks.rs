//! Explicit tasks, waits for them, work, mutexes, and calls of `omp_control_tool`.

use super::runtime::{alone, call, initial, region};
use super::tool::Tool;
use crate::detail::Interrupted;
use crate::detail::{CancelAct, Cancelled, Dependence, DependenceKind, Detail, Mutex, Status, Work};
use crate::event::{Event, Span};
use crate::state::State;
use crate::task::{Task, flag};
use crate::thread::{self, Thread};
use crate::v5::types::ompt_callbacks_t::{self, *};
use std::cell::Cell;
use system::arch::stack_pointer;

/// The tool's records of what happens in a region.
fn reported(registered: &[ompt_callbacks_t], act: impl FnOnce(&'static Thread) + Send) -> Vec<String> {
    let _alone = alone();
    assert!(Tool::starts(registered));
    let mut saw = Vec::new();
    initial(|me| {
        region(me, |_| {
            Tool::saw();
            act(me);
            saw = Tool::saw();
        });
    });
    saw
}

/// A task record that is never freed, like those in a runtime's blocks while their task lives.
fn record(me: &'static Thread) -> &'static Task {
    Box::leak(Box::new(me.tasks().new_task()))
}

#[test]
fn a_task_is_created_with_its_dependences_then_runs_to_its_end() {
    let registered = [ompt_callback_task_create, ompt_callback_task_schedule, ompt_callback_dependences];
    let saw = reported(&registered, |me| {
        let task = record(me);
        task.set_flags(flag::EXPLICIT | flag::UNTIED | flag::MERGEABLE);
        call(0x30);
        me.tasks().report_new(task, 0, true);
        let kinds =
            [DependenceKind::In, DependenceKind::Mutexinoutset, DependenceKind::Source, DependenceKind::Inoutset];
        let list = kinds.map(|kind| Dependence { variable: 9, kind });
        me.raise_with(Event::Dependences, &Detail::Dependences { task, list: &list });
        let suspended = me.tasks().begin(stack_pointer(), task);
        me.tasks().end(suspended);
    });
    assert_eq!(
        saw,
        [
            "task_create #1 #2 0x50000004 1 0x30",
            "dependences #2 9:1 9:4 9:5 9:7",
            "task_schedule #1 7 #2",
            "task_schedule #2 1 #1",
        ]
    );
}

#[test]
fn every_reason_to_leave_a_task_has_its_status_and_says_whether_a_task_follows() {
    let all = [
        (Status::Complete, 1, true),
        (Status::Cancel, 3, true),
        (Status::Detach, 4, true),
        (Status::EarlyFulfil, 5, false),
        (Status::LateFulfil, 6, false),
        (Status::Switch, 7, true),
        (Status::TaskwaitComplete, 8, false),
    ];
    for (status, number, follows) in all {
        let saw = reported(&[ompt_callback_task_schedule], |me| {
            let (prior, next) = (record(me), record(me));
            me.raise_with(Event::TaskSwitch, &Detail::Switch { prior, status, next, wait: Interrupted::NONE });
        });
        assert_eq!(saw, [format!("task_schedule #1 {number} {}", if follows { "#2" } else { "-" })]);
    }
}

#[test]
fn a_taskwait_is_a_region_with_a_wait_and_a_taskgroup_is_a_region_with_one_at_its_end() {
    let saw = reported(&[ompt_callback_sync_region, ompt_callback_sync_region_wait], |me| {
        call(0x30);
        let wait = me.waits().begin(Span::TASK_WAIT, State::WaitTaskwait, 0);
        me.waits().end(wait);
        me.raise(Event::TaskgroupBegin);
        call(0x40);
        let wait = me.waits().begin(Span::TASK_WAIT, State::WaitTaskgroup, 0);
        me.waits().end(wait);
        me.raise(Event::TaskgroupEnd);
    });
    assert_eq!(
        saw,
        [
            "sync_region 5 begin #1 #2 0x30",
            "sync_region_wait 5 begin #1 #2 0x30",
            "sync_region_wait 5 end #1 #2 0x30",
            "sync_region 5 end #1 #2 0x30",
            "sync_region 6 begin #1 #2 0x30",
            "sync_region_wait 6 begin #1 #2 0x40",
            "sync_region_wait 6 end #1 #2 0x40",
            "sync_region 6 end #1 #2 0x40",
        ]
    );
}

#[test]
fn the_wait_in_a_taskgroup_is_not_reported_where_only_regions_are_registered() {
    let saw = reported(&[ompt_callback_sync_region], |me| {
        me.raise(Event::TaskgroupBegin);
        let wait = me.waits().begin(Span::TASK_WAIT, State::WaitTaskgroup, 0);
        me.waits().end(wait);
        me.raise(Event::TaskgroupEnd);
        let wait = me.waits().begin(Span::TASK_WAIT, State::WaitTaskwait, 0);
        me.waits().end(wait);
    });
    let saw: Vec<_> = saw.iter().map(|line| line.split(" #").next().unwrap()).collect();
    assert_eq!(saw, ["sync_region 6 begin", "sync_region 6 end", "sync_region 5 begin", "sync_region 5 end"]);
}

#[test]
fn work_of_every_kind_is_reported_with_its_amount_and_its_shares() {
    let saw = reported(&[ompt_callback_work, ompt_callback_dispatch, ompt_callback_masked], |me| {
        for kind in Work::ALL {
            call(0x50);
            me.constructs().open_work(kind, || 12);
            me.constructs().close_work();
        }
        me.constructs().open_single();
        me.constructs().close_single();
        me.raise_with(Event::Dispatch, &Detail::Dispatch { kind: Work::Loop, first: 3, iterations: 4 });
        me.raise_with(Event::Dispatch, &Detail::Dispatch { kind: Work::Sections, first: 0, iterations: 1 });
        let token = me.begin(Span::MASKED);
        me.end(Span::MASKED, token);
    });
    let pairs = [1, 2, 4, 8, 7, 10, 11, 12, 6]
        .into_iter()
        .flat_map(|kind| ["begin", "end"].map(|end| format!("work {kind} {end} #1 #2 12 0x50")));
    let rest = [
        "work 3 begin #1 #2 1 0x50",
        "work 3 end #1 #2 1 0x50",
        "dispatch #1 #2 3 3+4",
        "dispatch #1 #2 2 0x50",
        "masked begin #1 #2 0x50",
        "masked end #1 #2 0x50",
    ];
    assert_eq!(saw, pairs.chain(rest.map(str::to_owned)).collect::<Vec<_>>());
}

#[test]
fn mutexes_are_reported_by_kind_with_what_is_waited_for() {
    let registered = [
        ompt_callback_lock_init,
        ompt_callback_mutex_acquire,
        ompt_callback_mutex_acquired,
        ompt_callback_mutex_released,
        ompt_callback_lock_destroy,
        ompt_callback_nest_lock,
    ];
    let kinds = [
        (Mutex::Lock, 1, 4),
        (Mutex::TestLock, 2, 4),
        (Mutex::NestLock, 3, 4),
        (Mutex::TestNestLock, 4, 4),
        (Mutex::Critical, 5, 4),
        (Mutex::Atomic, 6, 4),
        (Mutex::Ordered, 7, 5),
    ];
    for (kind, number, how) in kinds {
        let saw = reported(&registered, |me| {
            call(0x60);
            let detail = Detail::Mutex { kind, wait_id: 99, hint: 2 };
            let events = [Event::LockInit, Event::MutexAcquire, Event::MutexAcquired, Event::NestLockBegin];
            let more = [Event::NestLockEnd, Event::MutexReleased, Event::LockDestroy];
            events.into_iter().chain(more).for_each(|event| me.raise_with(event, &detail));
        });
        assert_eq!(
            saw,
            [
                format!("lock_init {number} 2 {how} 99 0x60"),
                format!("mutex_acquire {number} 2 {how} 99 0x60"),
                format!("mutex_acquired {number} 99 0x60"),
                "nest_lock begin 99 0x60".to_owned(),
                "nest_lock end 99 0x60".to_owned(),
                format!("mutex_released {number} 99 0x60"),
                format!("lock_destroy {number} 99 0x60"),
            ]
        );
    }
}

#[test]
fn a_cancelled_construct_is_reported_in_flags() {
    let constructs =
        [(Cancelled::Parallel, 0x1), (Cancelled::Sections, 0x2), (Cancelled::Loop, 0x4), (Cancelled::Taskgroup, 0x8)];
    let acts = [(CancelAct::Activated, 0x10), (CancelAct::Detected, 0x20), (CancelAct::DiscardedTask, 0x40)];
    for (construct, first) in constructs {
        for (act, second) in acts {
            let saw = reported(&[ompt_callback_cancel], |me| {
                call(0x70);
                me.raise_with(Event::Cancel, &Detail::Cancel { construct, act });
            });
            assert_eq!(saw, [format!("cancel #1 {:#x} 0x70", first | second)]);
        }
    }
}

#[test]
fn the_program_gets_the_tools_answer() {
    let answer = Cell::new(0);
    let saw = {
        let _alone = alone();
        assert!(Tool::starts(&[ompt_callback_control_tool]));
        call(0x80);
        let detail = Detail::Control { command: 1, modifier: 2, argument: 3, answer: &answer };
        thread::here().unwrap().raise_with(Event::Control, &detail);
        Tool::saw()
    };
    assert_eq!(saw[1..], ["control_tool 1 2 0x3 0x80"]);
    assert_eq!(answer.get(), 42);
}
