//! Workers: from when they are first seen to their end, and the results of queries in the thread pool.

use crate::tool::*;
use ompt_core::region::{Encounter, Form};
use ompt_core::thread::{here, here_as_worker};
use ompt_core::tls::CallSite;
use ompt_core::tr2::types::ompt_event_t::*;
use ompt_core::tr2::types::ompt_state_t::*;
use std::ptr::null_mut;
use system::arch::stack_pointer;

#[test]
fn a_worker_is_reported_from_its_begin_to_its_end_with_one_id() {
    let session = Session::of(&[
        ompt_event_thread_begin,
        ompt_event_thread_end,
        ompt_event_idle_begin,
        ompt_event_idle_end,
        ompt_event_implicit_task_begin,
        ompt_event_implicit_task_end,
    ]);
    let primary = here().unwrap();
    let call = CallSite { return_address: 0x1000, frame: stack_pointer() };
    let region = primary.regions().encounter(Form::Call, Encounter { call, function: 0x2000, requested: 2 }).unwrap();
    primary.regions().begin(region);
    primary.regions().start_implicit_task(region);
    let creator = task_id(1);
    session.reports();
    let worker = std::thread::spawn(move || {
        let stack = stack_pointer();
        let thread = here_as_worker().unwrap();
        assert_eq!((state(null_mut()), parallel_id(0), team_size(0)), (ompt_state_idle, 0, -1));
        assert!((task_id(0), task_frame(0)) == (0, null_mut()));
        thread.team().enter(region, stack);
        thread.team().take_place(region, 1, 2, stack);
        thread.adapter.set_idle_frame(stack);
        thread.team().start_work(stack);
        assert_eq!((parallel_id(0), team_size(0), task_id(1)), (region.id(), 2, creator));
        assert_eq!(frames(0), Some((stack, 0)));
        assert_eq!(idle_frame() as usize, stack);
        let task = task_id(0);
        thread.team().begin_last_barrier();
        thread.team().return_to_pool();
        assert_eq!((state(null_mut()), parallel_id(0), task_id(0)), (ompt_state_idle, 0, 0));
        (system::threads::id(), thread.id(), task)
    });
    let (caller, id, task) = worker.join().unwrap();
    let reports = session.reports_by(caller).into_iter();
    let reports: Vec<_> = reports.map(|report| (report.event, report.arguments)).collect();
    assert_eq!(
        reports,
        [
            (ompt_event_thread_begin, [2, id, 0, 0, 0]),
            (ompt_event_idle_begin, [id, 0, 0, 0, 0]),
            (ompt_event_idle_end, [id, 0, 0, 0, 0]),
            (ompt_event_implicit_task_begin, [region.id(), task, 0, 0, 0]),
            (ompt_event_implicit_task_end, [region.id(), task, 0, 0, 0]),
            (ompt_event_idle_begin, [id, 0, 0, 0, 0]),
            (ompt_event_idle_end, [id, 0, 0, 0, 0]),
            (ompt_event_thread_end, [2, id, 0, 0, 0]),
        ]
    );
    assert!(idle_frame().is_null(), "of a thread that is no worker");
    primary.regions().end(region);
}
