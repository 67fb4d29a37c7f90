//! Threads, regions, implicit tasks, barriers.

use super::runtime::{BARRIER, CALL, FUNCTION, alone, call, deeper, initial, region, work};
use super::tool::Tool;
use crate::event::Span;
use crate::region::{Encounter, Form};
use crate::state::State;
use crate::task::{Task, flag};
use crate::v5::own_code;
use crate::v5::types::ompt_callbacks_t::*;
use system::arch::stack_pointer;

#[test]
fn a_region_is_reported_from_its_begin_to_its_end_on_both_threads() {
    let _alone = alone();
    Tool::starts_for_all();
    initial(|me| {
        region(me, |region| {
            call(BARRIER);
            let wait = me.waits().begin_barrier(Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit);
            me.waits().end(wait);
            work(region, || ());
        });
    });
    let call = format!("{CALL:#x}");
    let barrier = format!("{BARRIER:#x}");
    assert_eq!(
        Tool::saw(),
        [
            "initialize 77",
            "thread_begin 1 #1",
            "implicit_task begin #2 #3 1 1 0x1",
            &format!("parallel_begin #3 enter 0x7000 #4 2 0x80000002 {call}"),
            "implicit_task begin #4 #5 2 0 0x2",
            &format!("sync_region 3 begin #4 #5 {barrier}"),
            &format!("sync_region_wait 3 begin #4 #5 {barrier}"),
            &format!("sync_region_wait 3 end #4 #5 {barrier}"),
            &format!("sync_region 3 end #4 #5 {barrier}"),
            "thread_begin 2 #6",
            "implicit_task begin #4 #7 2 1 0x2",
            "sync_region 9 begin #4 #7 0x0",
            "sync_region_wait 9 begin #4 #7 0x0",
            "sync_region_wait 9 end - #7 0x0",
            "sync_region 9 end - #7 0x0",
            "implicit_task end - #7 0 1 0x2",
            "thread_end #6",
            &format!("sync_region 9 begin #4 #5 {call}"),
            &format!("sync_region_wait 9 begin #4 #5 {call}"),
            &format!("sync_region_wait 9 end - #5 {call}"),
            &format!("sync_region 9 end - #5 {call}"),
            "implicit_task end - #5 2 0 0x2",
            &format!("parallel_end #4 #3 0x80000002 {call}"),
            "implicit_task end #2 #3 0 1 0x1",
            "thread_end #1",
        ]
    );
}

#[test]
fn a_nested_region_lies_in_the_task_that_met_it() {
    let _alone = alone();
    assert!(Tool::starts(&[ompt_callback_parallel_begin, ompt_callback_parallel_end, ompt_callback_implicit_task]));
    initial(|me| region(me, |_| region(me, |_| ())));
    assert_eq!(
        Tool::saw(),
        [
            "initialize 77",
            "implicit_task begin #1 #2 1 1 0x1",
            "parallel_begin #2 enter 0x7000 #3 2 0x80000002 0x1000",
            "implicit_task begin #3 #4 2 0 0x2",
            "parallel_begin #4 enter 0x7000 #5 2 0x80000002 0x1000",
            "implicit_task begin #5 #6 2 0 0x2",
            "implicit_task end - #6 2 0 0x2",
            "parallel_end #5 #4 0x80000002 0x1000",
            "implicit_task end - #4 2 0 0x2",
            "parallel_end #3 #2 0x80000002 0x1000",
            "implicit_task end #1 #2 0 1 0x1",
        ]
    );
}

#[test]
fn a_region_by_two_calls_is_invoked_by_the_program() {
    let _alone = alone();
    assert!(Tool::starts(&[ompt_callback_parallel_begin, ompt_callback_parallel_end]));
    initial(|me| {
        let region =
            me.regions().encounter(Form::Pair, Encounter { call: call(CALL), function: 0, requested: 0 }).unwrap();
        me.regions().begin(region);
        me.regions().end(region);
    });
    assert_eq!(
        Tool::saw(),
        [
            "initialize 77",
            "parallel_begin #1 enter 0x7000 #2 0 0x80000001 0x1000",
            "parallel_end #2 #1 0x80000001 0x1000",
        ]
    );
}

#[test]
fn the_barrier_at_the_end_of_work_is_a_workshare_barrier() {
    let _alone = alone();
    assert!(Tool::starts(&[ompt_callback_sync_region_wait]));
    initial(|me| {
        region(me, |_| {
            call(BARRIER);
            let wait = me.waits().begin_barrier(Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare);
            me.waits().end(wait);
        });
    });
    let saw = Tool::saw();
    assert_eq!(saw[1..3], ["sync_region_wait 8 begin #1 #2 0x2000", "sync_region_wait 8 end #1 #2 0x2000"]);
}

#[test]
fn a_call_that_returns_to_this_library_is_reported_in_the_function_that_jumped() {
    let _alone = alone();
    assert!(Tool::starts(&[ompt_callback_parallel_begin, ompt_callback_sync_region]));
    own_code::pretend(CALL, BARRIER - CALL);
    initial(|me| {
        region(me, |_| {
            region(me, |_| ());
            Tool::saw();
            call(BARRIER - 1);
            let wait = me.waits().begin_barrier(Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit);
            me.waits().end(wait);
            call(BARRIER);
            let wait = me.waits().begin_barrier(Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit);
            me.waits().end(wait);
            let task: &'static Task = Box::leak(Box::new(me.tasks().new_task()));
            task.set_flags(flag::EXPLICIT);
            let suspended = me.tasks().begin(stack_pointer(), task);
            deeper(|| {
                call(BARRIER - 1);
                let wait = me.waits().begin(Span::TASK_WAIT, State::WaitTaskwait, 0);
                me.waits().end(wait);
            });
            me.tasks().end(suspended);
        });
    });
    own_code::pretend(0, 0);
    let codes: Vec<_> = Tool::saw().iter().map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect();
    let (jump, barrier) = (format!("{:#x}", FUNCTION + 1), format!("{BARRIER:#x}"));
    // Two lines for each; then those of the last barrier follow.
    assert_eq!(codes[..6], [&jump, &jump, &barrier, &barrier, "0x0", "0x0"]);
}
