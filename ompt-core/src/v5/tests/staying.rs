//! Attachment and end of a tool.

use super::runtime::{alone, initial, region};
use super::tool::{Going, Tool, callback, finalize_tool, set};
use crate::dispatch::{self, Interface};
use crate::event::EventSet;
use crate::thread;
use crate::v5::types::ompt_callbacks_t::*;
use crate::v5::types::ompt_set_result_t::ompt_set_error;
use crate::v5::types::*;
use crate::v5::{self, LateStart};

#[test]
fn a_tool_that_declines_gets_no_callback_and_is_not_finalized() {
    let _alone = alone();
    Tool::declines();
    assert!(!v5::is_attached());
    assert_eq!(dispatch::subscription(Interface::V5).events(), EventSet::NONE);
    initial(|me| region(me, |_| ()));
    v5::finalize();
    assert_eq!(Tool::saw(), ["initialize 77"]);
}

#[test]
fn a_tool_that_goes_while_it_is_initialized_is_finalized_behind_that() {
    let _alone = alone();
    for (goes, expected) in
        [(Going::AndStays, &["initialize 77", "finalize 77"][..]), (Going::AndDeclines, &["initialize 77"])]
    {
        crate::v5::session::forget();
        Tool::goes(goes);
        v5::finalize();
        assert_eq!(Tool::saw(), expected);
        assert_eq!(dispatch::subscription(Interface::V5).events(), EventSet::NONE);
    }
}

#[test]
fn there_is_one_tool_in_a_process() {
    let _alone = alone();
    Tool::starts_for_all();
    assert!(!Tool::starts(&[]), "a second one");
    v5::finalize();
    assert!(!Tool::starts(&[]), "one after the first has gone");
    assert_eq!(Tool::saw(), ["initialize 77", "finalize 77"]);
}

#[test]
fn a_tool_that_starts_late_gets_callbacks_whenever_it_has_some() {
    let _alone = alone();
    assert_eq!(Tool::starts_late(), LateStart::Attached);
    assert_eq!(Tool::starts_late(), LateStart::Taken, "a second one");
    initial(|me| {
        Tool::saw();
        ompt_callbacks_t::ALL.iter().for_each(|event| _ = set(*event, None));
        region(me, |_| ());
        assert!(Tool::saw().is_empty(), "without callbacks");
        ompt_callbacks_t::ALL.iter().for_each(|event| _ = set(*event, callback(*event)));
        region(me, |_| ());
        assert!(Tool::saw().iter().any(|line| line.starts_with("parallel_begin")), "with callbacks again");
    });
    v5::finalize();
}

#[test]
fn a_tool_is_finalized_once_and_gets_no_callback_after_that() {
    let _alone = alone();
    Tool::starts_for_all();
    initial(|me| {
        region(me, |_| {
            Tool::saw();
            v5::finalize();
        });
        v5::finalize();
        finalize_tool();
    });
    assert_eq!(Tool::saw(), ["finalize 77"]);
    assert_eq!(set(ompt_callback_work, callback(ompt_callback_work)), ompt_set_error);
    assert_eq!(dispatch::subscription(Interface::V5).events(), EventSet::NONE);
}

#[test]
fn a_tool_that_detaches_itself_gets_the_ends_that_can_be_reported_and_is_finalized() {
    let _alone = alone();
    Tool::starts_for_all();
    initial(|_| finalize_tool());
    assert_eq!(
        Tool::saw(),
        [
            "initialize 77",
            "thread_begin 1 #1",
            "implicit_task begin #2 #3 1 1 0x1",
            "implicit_task end #2 #3 0 1 0x1",
            "thread_end #1",
            "finalize 77",
        ]
    );
}

#[test]
fn in_a_region_a_tool_that_detaches_itself_gets_no_ends() {
    let _alone = alone();
    Tool::starts_for_all();
    initial(|me| {
        region(me, |_| {
            Tool::saw();
            finalize_tool();
        });
    });
    assert_eq!(Tool::saw(), ["finalize 77"]);
}

#[test]
fn a_tool_that_goes_is_finalized_only_when_no_other_thread_is_in_its_callbacks() {
    unsafe extern "C-unwind" fn stays_inside(kind: ompt_thread_t, _: *mut ompt_data_t) {
        if kind == ompt_thread_t::ompt_thread_worker {
            Tool::says("in");
            while v5::is_attached() {
                std::thread::yield_now();
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
            Tool::says("out");
        }
    }
    let _alone = alone();
    assert!(Tool::starts(&[]));
    let callback: ompt_callback_thread_begin_t = Some(stays_inside);
    // SAFETY: removes the signature, as C does.
    let callback = unsafe { std::mem::transmute::<ompt_callback_thread_begin_t, ompt_callback_t>(callback) };
    set(ompt_callback_thread_begin, callback);
    let worker = std::thread::spawn(|| {
        Tool::knows_this_thread();
        _ = thread::here_as_worker();
    });
    while !Tool::seen("in") {
        std::thread::yield_now();
    }
    v5::finalize();
    worker.join().unwrap();
    assert_eq!(Tool::saw(), ["initialize 77", "in", "out", "finalize 77"]);
}
