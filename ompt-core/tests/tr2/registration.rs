//! Discovery, `lookup`, and registration: allowed threads, times and events (TR2, 6.1).

use crate::tool::*;
use ompt_core::thread::here;
use ompt_core::tr2;
use ompt_core::tr2::types::ompt_event_t::{self, *};
use ompt_core::tr2::types::ompt_state_t::*;
use std::ffi::CStr;
use std::ptr::null_mut;

#[test]
fn the_programs_own_tool_is_found_and_asked_once() {
    let session = Session::of(&[]);
    assert!(session.open && tr2::has_tool());
    assert_eq!(session.calls, 1);
    assert_eq!(session.version, (c"a stage".to_owned(), 1));
}

#[test]
fn lookup_finds_eleven_names_and_no_other() {
    let _session = Session::of(&[]);
    let names = [
        c"ompt_enumerate_state",
        c"ompt_set_callback",
        c"ompt_get_callback",
        c"ompt_get_idle_frame",
        c"ompt_get_task_frame",
        c"ompt_get_state",
        c"ompt_get_parallel_id",
        c"ompt_get_parallel_team_size",
        c"ompt_get_task_id",
        c"ompt_get_thread_id",
        c"ompt_get_num_devices",
    ];
    for (i, name) in names.into_iter().enumerate() {
        let address = find(name).unwrap_or_else(|| panic!("{name:?} is null"));
        for other in &names[..i] {
            assert!(!std::ptr::fn_addr_eq(address, find(other).unwrap()), "{name:?} is {other:?}");
        }
    }
    // SAFETY: the entry point of that name takes nothing and returns an int.
    let devices = unsafe {
        std::mem::transmute::<unsafe extern "C-unwind" fn(), extern "C-unwind" fn() -> i32>(
            find(c"ompt_get_num_devices").unwrap(),
        )
    };
    assert_eq!(devices(), 0);
    for none in [c"", c"ompt_get_thread_i", c"ompt_get_thread_id2", c"ompt_control", c"ompt_get_thread_data"] {
        assert!(find(none).is_none(), "{none:?}");
    }
}

#[test]
fn each_event_that_is_raised_is_registered_with_exactly_4() {
    let session = Session::of(&ompt_event_t::ALL);
    for (event, answer) in ompt_event_t::ALL.into_iter().zip(&session.answers) {
        let expected = match event {
            ompt_event_workshare_begin | ompt_event_workshare_end | ompt_event_flush => 1,
            _ => 4,
        };
        assert_eq!(*answer, expected, "{event:?}");
        let mut found = 0;
        assert_eq!(get(event as i32, &raw mut found), i32::from(expected > 1), "{event:?}");
        assert_eq!(found, if expected > 1 { callback(event) } else { 0 }, "{event:?}");
        assert_eq!(get(event as i32, null_mut()), i32::from(expected > 1), "{event:?}");
    }
}

#[test]
fn what_is_no_event_is_refused() {
    let _session = Session::with(&[], 1, || {
        for none in [0, -1, 62, i32::MAX, i32::MIN] {
            assert_eq!(set(none, callback(ompt_event_control)), 0, "{none}");
            assert_eq!(get(none, null_mut()), 0, "{none}");
        }
    });
}

#[test]
fn no_callback_is_registered_outside_of_ompt_initialize() {
    let before = Session::of(&[]);
    assert_eq!(set(1, callback(ompt_event_parallel_begin)), 0);
    assert_eq!(get(1, null_mut()), 0);
    drop(before);
    let _session = Session::with(&[], 1, || {
        let other = std::thread::spawn(|| set(1, callback(ompt_event_parallel_begin)));
        assert_eq!(other.join().unwrap(), 0, "on another thread");
        assert_eq!(set(1, callback(ompt_event_parallel_begin)), 4, "on this one");
    });
}

#[test]
fn a_null_callback_takes_one_back() {
    let session = Session::with(&[ompt_event_control], 1, || assert_eq!(set(7, 0), 4));
    assert_eq!(get(7, null_mut()), 0);
    tr2::control(1, 2);
    assert_eq!(session.events(), []);
}

#[test]
fn a_tool_that_declines_is_left_alone() {
    let session = Session::with(&ompt_event_t::ALL, 0, || {});
    assert!(!session.open);
    assert_eq!(get(1, null_mut()), 0);
    tr2::control(1, 2);
    here().unwrap().raise(ompt_core::event::Event::ThreadBegin);
    tr2::shut_down();
    assert_eq!(session.reports(), []);
}

#[test]
fn the_states_are_enumerated_by_name() {
    let _session = Session::of(&[]);
    let (mut current, mut name, mut names) = (ompt_state_first as i32, std::ptr::null(), Vec::new());
    while enumerate(current, &raw mut current, &raw mut name) == 1 {
        // SAFETY: the name of a state is a C string.
        let text = unsafe { CStr::from_ptr(name) };
        names.push((current, text.to_str().unwrap()));
        assert!(names.len() < 100);
    }
    assert_eq!(names.len(), 16);
    assert!(names.contains(&(ompt_state_wait_barrier_implicit as i32, "ompt_state_wait_barrier_implicit")));
    assert!(names.contains(&(ompt_state_undefined as i32, "ompt_state_undefined")));
    assert_eq!(enumerate(ompt_state_first as i32, null_mut(), null_mut()), 1);
}

#[test]
fn shutdown_is_reported_once_and_last() {
    let session = Session::of(&[ompt_event_control, ompt_event_runtime_shutdown]);
    tr2::control(1, 2);
    tr2::shut_down();
    tr2::shut_down();
    tr2::control(1, 2);
    assert_eq!(session.events(), [ompt_event_control, ompt_event_runtime_shutdown], "also from inside of it");
    assert_eq!(get(7, null_mut()), 0);
}

#[test]
fn shutdown_is_reported_also_where_the_core_raises_it() {
    let session = Session::of(&[ompt_event_runtime_shutdown]);
    here().unwrap().raise(ompt_core::event::Event::Shutdown);
    tr2::shut_down();
    assert_eq!(session.events(), [ompt_event_runtime_shutdown]);
}

#[test]
fn in_a_forked_child_the_session_is_over_and_another_one_can_begin() {
    let session = Session::of(&[ompt_event_control, ompt_event_runtime_shutdown]);
    tr2::after_fork();
    tr2::control(1, 2);
    tr2::shut_down();
    assert_eq!(session.reports(), []);
    drop(session);
    let session = Session::of(&[ompt_event_control]);
    tr2::control(3, 4);
    assert_eq!(session.reports()[0].arguments, [3, 4, 0, 0, 0]);
}
