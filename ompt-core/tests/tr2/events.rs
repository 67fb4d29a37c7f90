//! Events of the report for each core event, with their arguments.

use crate::tool::*;
use ompt_core::detail::Interrupted;
use ompt_core::detail::{Detail, Mutex, Status, Work};
use ompt_core::event::{Event, Span};
use ompt_core::region::{Encounter, Form};
use ompt_core::state::State;
use ompt_core::task::flag;
use ompt_core::thread::{Thread, here};
use ompt_core::tls::{CallSite, set_call};
use ompt_core::tr2;
use ompt_core::tr2::types::ompt_event_t::{self, *};
use ompt_core::tr2::types::ompt_state_t::*;
use std::ptr;
use system::arch::stack_pointer;

/// Every event except those of threads, which go to the session that is open when the thread is first seen.
fn all() -> Vec<ompt_event_t> {
    let of_threads =
        [ompt_event_thread_begin, ompt_event_thread_end, ompt_event_initial_task_begin, ompt_event_initial_task_end];
    ompt_event_t::ALL.into_iter().filter(|event| !of_threads.contains(event)).collect()
}

fn session() -> (Session, &'static Thread) {
    (Session::of(&all()), here().unwrap())
}

#[test]
fn a_task_is_reported_from_its_creation_to_its_end() {
    let (session, thread) = session();
    let creator = task_id(0);
    set_call(CallSite { return_address: 0x1000, frame: stack_pointer() });
    let task = Box::leak(Box::new(thread.tasks().new_task()));
    let creation = thread.tasks().begin_creation(stack_pointer());
    let (_, reenter) = frames(0).unwrap();
    thread.tasks().report_new(task, 0x3000, false);
    thread.tasks().end_creation(task, false, creation);
    assert!(reenter != 0 && frames(0) == Some((0, 0)));
    let suspended = thread.tasks().begin(stack_pointer(), task);
    assert_eq!((task_id(0), task_id(1)), (task.id(), creator));
    thread.tasks().end(suspended);
    set_call(CallSite::default());
    let reports = session.reports();
    let seen: Vec<_> = reports.iter().map(|report| (report.event, report.arguments, report.task)).collect();
    let frame = task_frame(0) as u64;
    assert_eq!(
        seen,
        [
            (ompt_event_task_begin, [creator, frame, task.id(), 0x3000, 0], creator),
            (ompt_event_task_switch, [creator, task.id(), 0, 0, 0], task.id()),
            (ompt_event_task_end, [task.id(), 0, 0, 0, 0], task.id()),
            (ompt_event_task_switch, [0, creator, 0, 0, 0], creator),
        ]
    );
    assert_eq!(task_id(0), creator);
}

#[test]
fn only_tasks_that_are_over_end_and_only_those_that_were_left_are_switched() {
    let (session, thread) = session();
    let current = thread.current.task().unwrap();
    let other = &*Box::leak(Box::new(thread.tasks().new_task()));
    let switch = |status| {
        let wait = Interrupted::NONE;
        thread.raise_with(Event::TaskSwitch, &Detail::Switch { prior: other, status, next: current, wait });
        session.events()
    };
    // The start of a discarded task was reported before.
    assert_eq!(switch(Status::Cancel), [ompt_event_task_end, ompt_event_task_switch]);
    // Another task fulfils the event: the thread continues with its own.
    assert_eq!(switch(Status::LateFulfil), [ompt_event_task_end]);
    assert_eq!(switch(Status::Complete), [ompt_event_task_end]);
    assert_eq!(switch(Status::Switch), [ompt_event_task_switch]);
    assert_eq!(switch(Status::Detach), [ompt_event_task_switch]);
    assert_eq!(switch(Status::EarlyFulfil), []);
    assert_eq!(switch(Status::TaskwaitComplete), []);
    other.set_flags(flag::TASKWAIT);
    thread.tasks().report_new(other, 0, true);
    assert_eq!(session.events(), [], "a taskwait is no task");
}

#[test]
fn a_barrier_is_a_region_and_the_wait_in_it() {
    let (session, thread) = session();
    for (span, waits) in [
        (Span::EXPLICIT_BARRIER, (State::WaitBarrierExplicit, ompt_state_wait_barrier_explicit)),
        (Span::WORK_BARRIER, (State::WaitBarrierImplicitWorkshare, ompt_state_wait_barrier_implicit)),
    ] {
        let wait = thread.waits().begin(span, waits.0, 0x77);
        thread.waits().end(wait);
        let reports = session.reports();
        assert_eq!(
            reports.iter().map(|report| report.event).collect::<Vec<_>>(),
            [
                ompt_event_barrier_begin,
                ompt_event_wait_barrier_begin,
                ompt_event_wait_barrier_end,
                ompt_event_barrier_end,
            ]
        );
        let task = task_id(0);
        assert!(reports.iter().all(|report| report.state == waits.1 && report.arguments == [0, task, 0, 0, 0]));
    }
}

#[test]
fn waits_for_tasks_go_by_what_the_task_waits_in() {
    let (session, thread) = session();
    let wait_for = |span, state| {
        let wait = thread.waits().begin(span, state, 0);
        thread.waits().end(wait);
        session.events()
    };
    let taskwait = [
        ompt_event_taskwait_begin,
        ompt_event_wait_taskwait_begin,
        ompt_event_wait_taskwait_end,
        ompt_event_taskwait_end,
    ];
    assert_eq!(wait_for(Span::TASK_WAIT, State::WaitTaskwait), taskwait);
    assert_eq!(wait_for(Span::DEPEND_WAIT, State::WaitTaskwait), taskwait);
    let taskgroup = [ompt_event_wait_taskgroup_begin, ompt_event_wait_taskgroup_end];
    assert_eq!(wait_for(Span::TASK_WAIT, State::WaitTaskgroup), taskgroup);
    thread.raise(Event::TaskgroupBegin);
    thread.raise(Event::TaskgroupEnd);
    assert_eq!(session.events(), [ompt_event_taskgroup_begin, ompt_event_taskgroup_end]);
}

#[test]
fn a_wait_for_a_mutex_is_reported_with_its_id_which_the_state_has_too() {
    let (session, thread) = session();
    for (span, state, event) in [
        (Span::LOCK_WAIT, State::WaitLock, ompt_event_wait_lock),
        (Span::LOCK_WAIT, State::WaitNestLock, ompt_event_wait_nest_lock),
        (Span::CRITICAL_WAIT, State::WaitCritical, ompt_event_wait_critical),
        (Span::ATOMIC_WAIT, State::WaitAtomic, ompt_event_wait_atomic),
        (Span::ORDERED_WAIT, State::WaitOrdered, ompt_event_wait_ordered),
    ] {
        let wait = thread.waits().begin(span, state, 0x1234);
        let mut id = 0;
        let state = crate::tool::state(&raw mut id);
        assert_eq!(id, 0x1234);
        assert!((0x60..0x65).contains(&(state as u32)), "{state:?}");
        let before = thread.activity.switch_to(State::Overhead);
        assert_eq!(crate::tool::state(&raw mut id), ompt_state_overhead);
        assert_eq!(id, 0, "an id without a wait");
        thread.activity.resume(before);
        thread.waits().end(wait);
        assert_eq!(crate::tool::state(&raw mut id), ompt_state_work_serial);
        assert_eq!(id, 0, "nothing is waited for");
        let reports = session.reports();
        assert_eq!(reports.len(), 1);
        assert_eq!((reports[0].event, reports[0].arguments), (event, [0x1234, 0, 0, 0, 0]));
    }
}

#[test]
fn mutexes_are_reported_by_their_kind() {
    let (session, thread) = session();
    let raise = |event, kind| {
        thread.raise_with(event, &Detail::Mutex { kind, wait_id: 0x55, hint: 0 });
        let reports = session.reports();
        assert_eq!(reports.len(), 1, "{event:?} {kind:?}");
        assert_eq!(reports[0].arguments, [0x55, 0, 0, 0, 0]);
        reports[0].event
    };
    for (kind, acquired, released) in [
        (Mutex::Lock, ompt_event_acquired_lock, ompt_event_release_lock),
        (Mutex::TestLock, ompt_event_acquired_lock, ompt_event_release_lock),
        (Mutex::NestLock, ompt_event_acquired_nest_lock_first, ompt_event_release_nest_lock_last),
        (Mutex::TestNestLock, ompt_event_acquired_nest_lock_first, ompt_event_release_nest_lock_last),
        (Mutex::Critical, ompt_event_acquired_critical, ompt_event_release_critical),
        (Mutex::Atomic, ompt_event_acquired_atomic, ompt_event_release_atomic),
        (Mutex::Ordered, ompt_event_acquired_ordered, ompt_event_release_ordered),
    ] {
        assert_eq!(raise(Event::MutexAcquired, kind), acquired);
        assert_eq!(raise(Event::MutexReleased, kind), released);
    }
    assert_eq!(raise(Event::NestLockBegin, Mutex::NestLock), ompt_event_acquired_nest_lock_next);
    assert_eq!(raise(Event::NestLockEnd, Mutex::NestLock), ompt_event_release_nest_lock_prev);
    assert_eq!(raise(Event::LockInit, Mutex::Lock), ompt_event_init_lock);
    assert_eq!(raise(Event::LockInit, Mutex::NestLock), ompt_event_init_nest_lock);
    assert_eq!(raise(Event::LockDestroy, Mutex::Lock), ompt_event_destroy_lock);
    assert_eq!(raise(Event::LockDestroy, Mutex::NestLock), ompt_event_destroy_nest_lock);
}

#[test]
fn work_is_reported_by_its_construct() {
    let (session, thread) = session();
    let work = |kind| {
        thread.constructs().open_work(kind, || 10);
        thread.constructs().close_work();
        session.events()
    };
    for kind in Work::ALL.into_iter().filter(|kind| kind.is_loop()) {
        assert_eq!(work(kind), [ompt_event_loop_begin, ompt_event_loop_end]);
    }
    assert_eq!(work(Work::Sections), [ompt_event_sections_begin, ompt_event_sections_end]);
    assert_eq!(work(Work::SingleOther), [ompt_event_single_others_begin, ompt_event_single_others_end]);
    assert_eq!(work(Work::Scope), []);
    assert_eq!(work(Work::Taskloop), []);
    thread.constructs().open_single();
    thread.constructs().close_single();
    assert_eq!(session.events(), [ompt_event_single_in_block_begin, ompt_event_single_in_block_end]);
    let token = thread.begin(Span::MASKED);
    thread.end(Span::MASKED, token);
    assert_eq!(session.events(), [ompt_event_master_begin, ompt_event_master_end]);
}

#[test]
fn an_end_is_reported_also_where_only_the_begin_of_another_construct_is_registered() {
    let session = Session::of(&[ompt_event_sections_begin, ompt_event_loop_end]);
    let thread = here().unwrap();
    thread.constructs().open_work(Work::Loop, || 10);
    thread.constructs().close_work();
    thread.constructs().open_work(Work::Sections, || 10);
    thread.constructs().close_work();
    assert_eq!(session.events(), [ompt_event_loop_end, ompt_event_sections_begin]);
}

#[test]
fn frames_are_given_as_the_report_lays_them_out() {
    let (_session, thread) = session();
    let task = thread.current.task().unwrap();
    assert!(ptr::eq(task_frame(0).cast(), ptr::from_ref(task.frame())));
    set_call(CallSite { return_address: 1, frame: 0xabc0 });
    thread.current.enter_runtime(CallSite { return_address: 1, frame: 0xabc0 });
    assert_eq!(frames(0), Some((0, 0xabc0)));
    thread.current.leave_runtime(CallSite { return_address: 1, frame: 0xabc0 });
    set_call(CallSite::default());
}

/// Raises everything that a thread can raise except its start and end, in a frame below that of its region.
#[inline(never)]
fn play(thread: &'static Thread) {
    let waits = [
        (Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit),
        (Span::TASK_WAIT, State::WaitTaskwait),
        (Span::TASK_WAIT, State::WaitTaskgroup),
        (Span::LOCK_WAIT, State::WaitLock),
        (Span::LOCK_WAIT, State::WaitNestLock),
        (Span::CRITICAL_WAIT, State::WaitCritical),
        (Span::ATOMIC_WAIT, State::WaitAtomic),
        (Span::ORDERED_WAIT, State::WaitOrdered),
    ];
    for (span, state) in waits {
        let wait = thread.waits().begin(span, state, 1);
        thread.waits().end(wait);
    }
    for kind in [Work::Loop, Work::Sections, Work::SingleOther] {
        thread.constructs().open_work(kind, || 1);
        thread.constructs().close_work();
    }
    for span in [Span::SINGLE, Span::MASKED, Span::PARALLEL, Span::IDLE] {
        let token = thread.begin(span);
        thread.end(span, token);
    }
    let kinds = [Mutex::Lock, Mutex::NestLock, Mutex::Critical, Mutex::Atomic, Mutex::Ordered];
    let events = [
        Event::MutexAcquired,
        Event::MutexReleased,
        Event::NestLockBegin,
        Event::NestLockEnd,
        Event::LockInit,
        Event::LockDestroy,
    ];
    for (kind, event) in kinds.into_iter().flat_map(|kind| events.map(|event| (kind, event))) {
        thread.raise_with(event, &Detail::Mutex { kind, wait_id: 1, hint: 0 });
    }
    thread.raise(Event::TaskgroupBegin);
    thread.raise(Event::TaskgroupEnd);
    let task = &*Box::leak(Box::new(thread.tasks().new_task()));
    thread.tasks().report_new(task, 0, false);
    let suspended = thread.tasks().begin(stack_pointer(), task);
    thread.tasks().end(suspended);
    tr2::control(1, 1);
}

#[test]
fn an_event_that_is_registered_alone_is_reported_alone() {
    for event in all() {
        let session = Session::of(&[event]);
        let thread = here().unwrap();
        let region = thread.regions().encounter(Form::Call, Encounter::default()).unwrap();
        thread.regions().begin(region);
        thread.regions().start_implicit_task(region);
        thread.team().start_work(0);
        play(thread);
        thread.team().begin_last_barrier();
        thread.regions().end(region);
        tr2::shut_down();
        let mut events = session.events();
        events.dedup();
        let expected = if session.answers == [1] { &[][..] } else { &[event] };
        assert_eq!(events, expected, "{event:?}");
    }
}
