//! Registrations and their answers; the list of entry points.

use super::runtime::alone;
use super::tool::{Tool, callback, entry, set};
use crate::dispatch::{self, Interface};
use crate::event::{Event, EventSet, Span};
use crate::thread;
use crate::v5::entry_points::lookup;
use crate::v5::types::ompt_callbacks_t::{self, *};
use crate::v5::types::ompt_set_result_t::*;
use crate::v5::types::*;
use std::ffi::c_int;

fn wanted() -> EventSet {
    dispatch::subscription(Interface::V5).events()
}

/// C may pass numbers that the enum doesn't have.
fn set_number(event: c_int, callback: ompt_callback_t) -> c_int {
    type Set = unsafe extern "C-unwind" fn(c_int, ompt_callback_t) -> c_int;
    let set: Set = entry(c"ompt_set_callback");
    // SAFETY: the entry point takes any number.
    unsafe { set(event, callback) }
}

fn registered(event: ompt_callbacks_t) -> ompt_callback_t {
    let get: ompt_get_callback_t = entry(c"ompt_get_callback");
    let mut found: ompt_callback_t = None;
    // SAFETY: writes to `found`.
    let answer = unsafe { get.unwrap()(event, &raw mut found) };
    assert_eq!(answer == 1, found.is_some());
    // SAFETY: null is also allowed.
    assert_eq!(unsafe { get.unwrap()(event, std::ptr::null_mut()) }, answer);
    found
}

#[test]
fn answers_say_what_is_called_and_everything_is_kept() {
    let _alone = alone();
    Tool::starts_for_all();
    for event in ompt_callbacks_t::ALL {
        let expected = match event {
            ompt_callback_flush | ompt_callback_reduction => ompt_set_never,
            ompt_callback_target_data_op | ompt_callback_target_data_op_emi => ompt_set_sometimes,
            _ if format!("{event:?}").contains("map") => ompt_set_never,
            _ => ompt_set_always,
        };
        assert_eq!(Tool::answer(event), expected, "{event:?}");
        let kept = registered(event).map(|function| function as usize);
        let given = callback(event).map(|function| function as usize);
        assert_eq!(kept, given, "{event:?}");
    }
}

#[test]
fn a_number_that_no_event_has_is_an_error() {
    let _alone = alone();
    Tool::starts_for_all();
    for number in [0, 38, -1, c_int::MAX] {
        assert_eq!(set_number(number, callback(ompt_callback_work)), ompt_set_error as c_int, "{number}");
        assert_eq!(set_number(number, None), ompt_set_error as c_int, "{number}");
    }
}

#[test]
fn nothing_can_be_registered_where_no_tool_is_attached() {
    let _alone = alone();
    assert_eq!(set(ompt_callback_work, callback(ompt_callback_work)), ompt_set_error);
    assert!(registered(ompt_callback_work).is_none());
    Tool::declines();
    assert_eq!(set(ompt_callback_work, callback(ompt_callback_work)), ompt_set_error);
    assert!(registered(ompt_callback_work).is_none());
}

#[test]
fn a_callback_comes_and_goes_at_any_time() {
    let _alone = alone();
    assert!(Tool::starts(&[]));
    assert_eq!(wanted(), EventSet::NONE);
    let me = thread::here().unwrap();
    assert_eq!(set(ompt_callback_thread_begin, callback(ompt_callback_thread_begin)), ompt_set_always);
    assert_eq!(wanted(), EventSet::of(&[Event::ThreadBegin]));
    me.raise(Event::ThreadBegin);
    assert_eq!(set(ompt_callback_thread_begin, None), ompt_set_always);
    assert_eq!(wanted(), EventSet::NONE);
    me.raise(Event::ThreadBegin);
    assert_eq!(Tool::saw(), ["initialize 77", "thread_begin 1 #1"]);
}

#[test]
fn the_end_of_what_began_before_a_registration_is_not_reported() {
    let _alone = alone();
    assert!(Tool::starts(&[]));
    let me = thread::here().unwrap();
    let before = me.begin(Span::MASKED);
    set(ompt_callback_masked, callback(ompt_callback_masked));
    me.end(Span::MASKED, before);
    assert_eq!(Tool::saw(), ["initialize 77"]);
}

#[test]
fn all_nineteen_entry_points_are_found_and_no_other_name_is() {
    let names = [
        c"ompt_enumerate_states",
        c"ompt_enumerate_mutex_impls",
        c"ompt_set_callback",
        c"ompt_get_callback",
        c"ompt_get_thread_data",
        c"ompt_get_num_procs",
        c"ompt_get_num_places",
        c"ompt_get_place_proc_ids",
        c"ompt_get_place_num",
        c"ompt_get_partition_place_nums",
        c"ompt_get_proc_id",
        c"ompt_get_state",
        c"ompt_get_parallel_info",
        c"ompt_get_task_info",
        c"ompt_get_task_memory",
        c"ompt_get_target_info",
        c"ompt_get_num_devices",
        c"ompt_get_unique_id",
        c"ompt_finalize_tool",
    ];
    let mut found = names.map(entry::<usize>);
    found.sort_unstable();
    assert!(found.windows(2).all(|two| two[0] != two[1]), "two names have one function");
    for name in
        [c"", c"ompt_get", c"ompt_set_callbacks", c"OMPT_SET_CALLBACK", c"ompt_start_tool", c"ompt_set_trace_ompt"]
    {
        // SAFETY: a C string.
        assert!(unsafe { lookup(name.as_ptr()) }.is_none(), "{name:?}");
    }
    // SAFETY: null is allowed.
    assert!(unsafe { lookup(std::ptr::null()) }.is_none());
}

#[test]
fn lists_end_and_may_be_asked_without_a_place_for_the_answer() {
    lists_are_whole();
}

#[test]
fn a_tool_that_has_declined_may_ask_for_the_lists() {
    let _alone = alone();
    Tool::declines();
    lists_are_whole();
}

fn lists_are_whole() {
    type Enumerate = unsafe extern "C-unwind" fn(c_int, *mut c_int, *mut *const std::ffi::c_char) -> c_int;
    for (name, start) in [(c"ompt_enumerate_states", 0x102), (c"ompt_enumerate_mutex_impls", 0)] {
        let enumerate: Enumerate = entry(name);
        let (mut current, mut called, mut count) = (start, std::ptr::null(), 0);
        // SAFETY: writes to the two variables.
        while unsafe { enumerate(current, &raw mut current, &raw mut called) } == 1 {
            // SAFETY: the name stays valid.
            let words = unsafe { std::ffi::CStr::from_ptr(called) };
            assert!(words.to_str().unwrap().contains("_state_") || words.to_str().unwrap().contains("_impl_"));
            count += 1;
        }
        assert!(count > 1, "{name:?}");
        // SAFETY: null is allowed.
        assert_eq!(unsafe { enumerate(start, std::ptr::null_mut(), std::ptr::null_mut()) }, 1);
    }
}
