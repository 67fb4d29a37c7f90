//! Rules for sessions, checked by a program that is its own collector.

use compat_tests::forge::{Forge, Language};
use compat_tests::run::Launch;

fn session(source: &str, kind: &str) {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let outcome = Launch::of(&forge, &forge.program(source)).arg(kind).with_ora().run().succeeded();
    assert_eq!(outcome.text(), "", "{}", outcome.describe());
}

macro_rules! claims {
    ($($name:ident: $source:literal, $kind:literal;)*) => {
        $(#[test]
        fn $name() {
            session($source, $kind);
        })*
    };
}

claims! {
    nothing_is_raised_while_paused: "session.c", "paused";
    nothing_is_raised_after_stop_and_no_registration_comes_back: "session.c", "stopped";
    nothing_is_raised_that_was_unregistered: "session.c", "unregistered";
    a_session_that_opens_inside_of_a_region_makes_nothing_up: "session.c", "middle";
    a_registration_inside_of_a_region_hears_no_half_of_it: "session.c", "halves";
    sessions_inside_of_a_region_leave_its_id_alone: "session.c", "in-and-out";
    callbacks_may_use_queries_locks_and_regions_and_hear_none_of_it: "session.c", "reentrant";
    callbacks_may_change_the_session: "session.c", "callbacks";
    sessions_may_race: "session.c", "races";
    a_forked_child_goes_on_with_the_session: "session.c", "forked";
    callbacks_may_leave_by_longjmp: "left_callbacks.c", "jumps";
    callbacks_may_end_their_thread: "left_callbacks.c", "exits";
    nothing_is_raised_once_the_exit_handler_of_start_has_run: "session.c", "ended";
}

/// TAU up to 2.26, the most widespread client of this interface.
#[test]
fn tau_finds_the_outlined_functions_that_it_names_regions_and_tasks_by() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = forge.program("tau_client.c");
    let launch = || Launch::of(&forge, &program).threads(2).with_ora();
    assert_eq!(launch().run().succeeded().text(), "0 wrong, 3 forks, 1 tasks\n");
    // TAU's own wrapper has more precise names.
    let wrapper = forge.build(Language::C11, &["programs/tau_wrapper.c"], &["-O2", "-shared", "-fPIC"], ".so");
    let forwarded = launch().with_preload(&wrapper).run().succeeded().text();
    assert!(!forwarded.starts_with("0 wrong"), "{forwarded}");
}
