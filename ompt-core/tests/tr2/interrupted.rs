//! Waits in which a thread executes tasks (TR2, 3.2.1): they end when a task starts, and begin again after it.

use crate::tool::*;
use ompt_core::event::Span;
use ompt_core::region::{Encounter, Form};
use ompt_core::state::State;
use ompt_core::task::Task;
use ompt_core::thread::{Thread, here};
use ompt_core::tls::CallSite;
use ompt_core::tr2::types::ompt_event_t::{self, *};
use ompt_core::tr2::types::ompt_state_t::{self, *};
use system::arch::stack_pointer;

const EVENTS: [ompt_event_t; 14] = [
    ompt_event_barrier_begin,
    ompt_event_barrier_end,
    ompt_event_wait_barrier_begin,
    ompt_event_wait_barrier_end,
    ompt_event_taskwait_begin,
    ompt_event_taskwait_end,
    ompt_event_wait_taskwait_begin,
    ompt_event_wait_taskwait_end,
    ompt_event_taskgroup_begin,
    ompt_event_taskgroup_end,
    ompt_event_wait_taskgroup_begin,
    ompt_event_wait_taskgroup_end,
    ompt_event_task_switch,
    ompt_event_task_end,
];

fn task_of(thread: &'static Thread) -> &'static Task {
    Box::leak(Box::new(thread.tasks().new_task()))
}

/// Executes a task that runs `act`, in a frame below that of the wait.
#[inline(never)]
fn execute(thread: &'static Thread, act: impl FnOnce()) {
    let task = task_of(thread);
    let suspended = thread.tasks().begin(stack_pointer(), task);
    deeper(act);
    thread.tasks().end(suspended);
}

#[inline(never)]
fn deeper(act: impl FnOnce()) {
    std::hint::black_box([0_u64; 32]);
    act();
}

/// A wait of one kind, in which the thread runs `act`.
#[inline(never)]
fn wait(thread: &'static Thread, span: Span, state: State, act: impl FnOnce()) {
    let wait = thread.waits().begin(span, state, 1);
    deeper(act);
    thread.waits().end(wait);
}

#[test]
fn a_wait_ends_where_a_task_begins_and_begins_again_behind_it() {
    let (begin, end) = (ompt_event_taskwait_begin, ompt_event_taskwait_end);
    let kinds = [
        (Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit, ompt_state_wait_barrier_explicit),
        (Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare, ompt_state_wait_barrier_implicit),
        (Span::TASK_WAIT, State::WaitTaskwait, ompt_state_wait_taskwait),
        (Span::TASK_WAIT, State::WaitTaskgroup, ompt_state_wait_taskgroup),
    ];
    for (span, state, reported_state) in kinds {
        let session = Session::of(&EVENTS);
        let thread = here().unwrap();
        let waiting = task_id(0);
        wait(thread, span, state, || {
            execute(thread, || wait(thread, Span::TASK_WAIT, State::WaitTaskwait, || execute(thread, || ())));
            execute(thread, || ());
        });
        let reports = session.reports();
        let (wait_begin, wait_end) = names(reported_state);
        let inner = [
            begin,
            ompt_event_wait_taskwait_begin,
            ompt_event_wait_taskwait_end,
            ompt_event_task_switch,
            ompt_event_task_end,
            ompt_event_task_switch,
            ompt_event_wait_taskwait_begin,
            ompt_event_wait_taskwait_end,
            end,
        ];
        let task = |inner: &[ompt_event_t]| {
            let before = [wait_begin, wait_end, ompt_event_task_switch];
            [&before[..], inner, &[ompt_event_task_end, ompt_event_task_switch]].concat()
        };
        let all: Vec<_> = reports.iter().map(|report| report.event).collect();
        let without_region: Vec<_> = match (all.first(), reported_state) {
            (Some(first), ompt_state_wait_taskgroup) if *first == wait_begin => all.clone(),
            _ => all[1..all.len() - 1].to_vec(),
        };
        assert_eq!(without_region, [&task(&inner)[..], &task(&[]), &[wait_begin, wait_end]].concat(), "{state:?}");
        // The waiting task is current in both, and its thread is in the state of the wait.
        for report in reports.iter().filter(|t| (t.event == wait_begin || t.event == wait_end) && t.task == waiting) {
            assert_eq!(report.state, reported_state, "{report:?}");
        }
        let of_waiting =
            reports.iter().filter(|t| t.event == wait_begin && t.task == waiting && t.arguments[1] == waiting);
        assert_eq!(of_waiting.count(), 3);
        assert_eq!(task_id(0), waiting);
    }
}

fn names(state: ompt_state_t) -> (ompt_event_t, ompt_event_t) {
    match state {
        ompt_state_wait_taskwait => (ompt_event_wait_taskwait_begin, ompt_event_wait_taskwait_end),
        ompt_state_wait_taskgroup => (ompt_event_wait_taskgroup_begin, ompt_event_wait_taskgroup_end),
        _ => (ompt_event_wait_barrier_begin, ompt_event_wait_barrier_end),
    }
}

#[test]
fn a_regions_last_barrier_is_interrupted_too() {
    let session = Session::of(&EVENTS);
    let thread = here().unwrap();
    let call = CallSite { return_address: 0x1000, frame: stack_pointer() };
    let region = thread.regions().encounter(Form::Call, Encounter { call, function: 0x2000, requested: 1 }).unwrap();
    thread.regions().begin(region);
    thread.regions().start_implicit_task(region);
    deeper(|| {
        thread.team().start_work(0);
        thread.team().begin_last_barrier();
        execute(thread, || ());
    });
    thread.regions().end(region);
    assert_eq!(
        session.events(),
        [
            ompt_event_barrier_begin,
            ompt_event_wait_barrier_begin,
            ompt_event_wait_barrier_end,
            ompt_event_task_switch,
            ompt_event_task_end,
            ompt_event_task_switch,
            ompt_event_wait_barrier_begin,
            ompt_event_wait_barrier_end,
            ompt_event_barrier_end,
        ]
    );
}

#[test]
fn a_session_without_the_begin_of_a_wait_gets_no_interruption_of_it() {
    let thread = here().unwrap();
    let wait = || thread.waits().begin(Span::TASK_WAIT, State::WaitTaskwait, 1);
    let (session, wait) = Session::after(wait, &EVENTS, 1, || {});
    deeper(|| execute(thread, || ()));
    thread.waits().end(wait);
    assert_eq!(session.events(), [ompt_event_task_switch, ompt_event_task_end, ompt_event_task_switch]);
}

/// A tool that measures waits doesn't have to register for tasks.
#[test]
fn waits_alone_are_enough() {
    let session = Session::of(&[ompt_event_wait_taskwait_begin, ompt_event_wait_taskwait_end]);
    let thread = here().unwrap();
    wait(thread, Span::TASK_WAIT, State::WaitTaskwait, || execute(thread, || ()));
    let (begin, end) = (ompt_event_wait_taskwait_begin, ompt_event_wait_taskwait_end);
    assert_eq!(session.events(), [begin, end, begin, end]);
}
