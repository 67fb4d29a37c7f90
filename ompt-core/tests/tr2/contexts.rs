//! Region, task and state that a tool observes, in callbacks and elsewhere.

use crate::tool::*;
use ompt_core::region::{Encounter, Form, Region};
use ompt_core::thread::{Thread, here};
use ompt_core::tls::CallSite;
use ompt_core::tr2;
use ompt_core::tr2::types::ompt_event_t::*;
use ompt_core::tr2::types::ompt_state_t::*;
use std::ptr::null_mut;
use system::arch::stack_pointer;

/// Inlined, because a region whose frame is gone counts as left.
#[inline(always)]
fn enter(thread: &'static Thread, frame: usize) -> &'static Region {
    let call = CallSite { return_address: 0x1000, frame };
    let region = thread.regions().encounter(Form::Call, Encounter { call, function: 0x2000, requested: 3 }).unwrap();
    thread.regions().begin(region);
    thread.regions().start_implicit_task(region);
    thread.team().take_place(region, 0, 1, frame - 64);
    thread.team().start_work(frame - 64);
    region
}

fn leave(thread: &'static Thread, region: &'static Region) {
    thread.team().begin_last_barrier();
    thread.regions().end(region);
}

/// A stack address in the caller's frame.
#[inline(always)]
fn frame() -> usize {
    stack_pointer()
}

#[test]
fn a_region_is_reported_in_the_context_of_the_task_around_it() {
    let session = Session::of(&[
        ompt_event_parallel_begin,
        ompt_event_parallel_end,
        ompt_event_implicit_task_begin,
        ompt_event_implicit_task_end,
        ompt_event_barrier_begin,
        ompt_event_barrier_end,
        ompt_event_wait_barrier_begin,
        ompt_event_wait_barrier_end,
    ]);
    let thread = here().unwrap();
    let (outer_task, outer_frame) = (task_id(0), task_frame(0));
    session.reports();
    let region = enter(thread, frame());
    let inner_task = task_id(0);
    assert!(inner_task != outer_task && inner_task != 0);
    assert_eq!((task_id(1), task_frame(1)), (outer_task, outer_frame));
    leave(thread, region);
    let reports = session.reports();
    let events: Vec<_> = reports.iter().map(|report| report.event).collect();
    assert_eq!(
        events,
        [
            ompt_event_parallel_begin,
            ompt_event_implicit_task_begin,
            ompt_event_barrier_begin,
            ompt_event_wait_barrier_begin,
            ompt_event_wait_barrier_end,
            ompt_event_barrier_end,
            ompt_event_implicit_task_end,
            ompt_event_parallel_end,
        ]
    );
    let id = region.id();
    assert_eq!(reports[0].arguments, [outer_task, outer_frame as u64, id, 3, 0x2000]);
    assert_eq!((reports[0].region, reports[0].task), (0, outer_task));
    for inside in &reports[1..7] {
        assert_eq!(inside.arguments, [id, inner_task, 0, 0, 0], "{inside:?}");
        assert_eq!((inside.region, inside.task), (id, inner_task), "{inside:?}");
    }
    assert!(reports[2..6].iter().all(|barrier| barrier.state == ompt_state_wait_barrier_implicit));
    assert_eq!(reports[7].arguments, [id, outer_task, 0, 0, 0]);
    assert_eq!((reports[7].region, reports[7].task), (0, outer_task));
    assert_eq!((task_id(0), task_frame(0)), (outer_task, outer_frame));
}

#[test]
fn levels_of_regions_tasks_and_frames_count_outward() {
    let session = Session::of(&[ompt_event_parallel_begin, ompt_event_parallel_end]);
    let thread = here().unwrap();
    let initial = task_id(0);
    assert_eq!((parallel_id(0), team_size(0)), (0, -1));
    let at = frame();
    let outer = enter(thread, at);
    let first = task_id(0);
    nested(thread, outer, (at, first, initial));
    leave(thread, outer);
    let reports = session.reports();
    // Start and end of the inner region are reported in the outer one.
    assert_eq!([1, 2].map(|i| (reports[i].region, reports[i].task)), [(outer.id(), first); 2]);
    assert_eq!((parallel_id(0), team_size(0), task_id(0), task_id(1)), (0, -1, initial, 0));
    assert_eq!(frames(0), Some((0, 0)));
}

/// Runs in a frame of its own, because a region that is entered in the same frame as another one counts as the same
/// call's.
#[inline(never)]
fn nested(thread: &'static Thread, outer: &'static Region, (at, first, initial): (usize, u64, u64)) {
    let inner = enter(thread, at - 256);
    assert_eq!([parallel_id(0), parallel_id(1), parallel_id(2)], [inner.id(), outer.id(), 0]);
    assert_eq!([team_size(0), team_size(1), team_size(2), team_size(1000)], [1, 1, -1, -1]);
    assert_eq!([task_id(1), task_id(2), task_id(3)], [first, initial, 0]);
    let expected = [Some((at - 256 - 64, 0)), Some((at - 64, at - 256)), Some((0, at)), None];
    assert_eq!([0, 1, 2, 3].map(frames), expected);
    for negative in [-1, i32::MIN] {
        assert_eq!((parallel_id(negative), team_size(negative), task_id(negative)), (0, -1, 0));
        assert!(task_frame(negative).is_null());
    }
    leave(thread, inner);
}

#[test]
fn a_thread_that_never_met_openmp_is_unknown() {
    let session = Session::of(&[ompt_event_thread_begin, ompt_event_initial_task_begin]);
    let unknown = std::thread::spawn(|| {
        let mut wait = 7;
        assert_eq!(state(&raw mut wait), ompt_state_undefined);
        assert_eq!((wait, thread_id(), task_id(0), parallel_id(0), team_size(0)), (0, 0, 0, 0, -1));
        assert!(task_frame(0).is_null() && idle_frame().is_null());
        let known = here().unwrap();
        assert_eq!((state(null_mut()), thread_id()), (ompt_state_work_serial, known.id()));
        (system::threads::id(), known.id(), task_id(0))
    });
    let (caller, id, task) = unknown.join().unwrap();
    let reports = session.reports_by(caller);
    assert_eq!(reports[0].event, ompt_event_thread_begin);
    assert_eq!(reports[0].arguments, [3, id, 0, 0, 0], "neither the process's first thread nor a worker");
    assert_eq!(reports[1].event, ompt_event_initial_task_begin);
    assert_eq!(reports[1].arguments[0], task);
}

#[test]
fn a_callback_changes_no_errno_and_is_not_notified_of_its_own_acts() {
    let session = Session::of(&[ompt_event_control]);
    here().unwrap();
    set_errno(5);
    tr2::control(64, u64::MAX);
    assert_eq!(errno(), 5);
    assert_eq!(session.reports()[0].arguments, [64, u64::MAX, 0, 0, 0]);
}
