//! Programs that exit, fork, throw or drop threads in odd ways behave as they would without the library.

use compat_tests::forge::Forge;
use compat_tests::run::{Launch, Outcome};
use compat_tests::watch::{Watch, goes_unnoticed};

fn ends(source: &str, kind: &str, watches: &[Watch]) -> Outcome {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = forge.program(source);
    goes_unnoticed(&forge, watches, || Launch::of(&forge, &program).threads(4).arg(kind))
}

macro_rules! claims {
    ($($name:ident: $source:literal, $kind:literal, $said:literal;)*) => {
        $(#[test]
        fn $name() {
            let bare = ends($source, $kind, &Watch::ALL);
            assert!(bare.text().contains($said), "{}", bare.describe());
        })*
    };
}

claims! {
    an_exit_code_is_passed_on: "endings.c", "exit-code", "team 3";
    exit_inside_of_a_region_ends_the_program: "endings.c", "exit-in-region", "about to end";
    exit_while_others_raise_events_ends_the_program: "endings.c", "exit-while-busy", "leaving";
    exit_by_a_worker_ends_the_program: "endings.c", "exit-by-worker", "about to end";
    immediate_exit_inside_of_a_region_ends_the_program: "endings.c", "_exit-in-region", "about to end";
    abort_inside_of_a_region_ends_the_program: "endings.c", "abort-in-region", "about to end";
    a_killed_program_is_killed: "endings.c", "killed-in-region", "about to end";
    an_exit_handler_may_have_a_region: "endings.c", "atexit", "at exit, a team of 3";
    a_child_of_a_parent_without_regions_may_have_some: "endings.c", "fork-first", "child's team 3";
    a_child_of_a_parent_with_a_pool_can_do_all_but_a_team: "endings.c", "fork-after", "child, guarded 3";
    a_child_may_end_at_once: "endings.c", "fork-quick", "child's exit code 4";
    a_child_may_become_another_program: "endings.c", "fork-exec", "child's exit code 3";
    a_spawned_program_runs: "endings.c", "spawn", "child's exit code 3";
    threads_with_teams_may_end_by_pthread_exit: "endings.c", "thread-exit", "thread's result 7";
    threads_with_teams_may_be_cancelled: "endings.c", "thread-cancel", "cancelled 1";
    longjmp_inside_of_a_region_works: "endings.c", "longjmp", "jumps 18";
    a_pool_that_was_given_up_comes_back: "endings.c", "pause", "pause 0";
    errno_and_signal_masks_are_kept: "endings.c", "kept", "errno was changed 0\nsignal mask was changed 0";
    exceptions_are_caught_inside_of_a_region: "exceptions.cc", "inside", "60 caught, 630 destroyed";
    exceptions_are_caught_around_regions: "exceptions.cc", "around", "515, 5 destroyed";
    exceptions_are_caught_in_nested_regions: "exceptions.cc", "nested", "nested: 44";
    an_exception_that_nobody_catches_ends_the_program: "exceptions.cc", "escapes", "";
}

#[test]
fn the_main_thread_may_end_before_another() {
    // Not under a storm: the storm's own thread would be the last one.
    let watches: Vec<_> = Watch::ALL.into_iter().filter(|w| !w.has_thread()).collect();
    let bare = ends("endings.c", "main-thread-exit", &watches);
    assert!(bare.text().contains("the last thread's team 3"), "{}", bare.describe());
}

#[test]
fn a_region_may_come_after_every_exit_handler() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = forge.program("endings.c");
    let bare = goes_unnoticed(&forge, &Watch::ALL, || {
        Launch::of(&forge, &program).threads(4).arg("exit-code").env("TEAM_AT_THE_VERY_END", "1")
    });
    assert!(bare.text().contains("at the very end, a team of 3"), "{}", bare.describe());
}

#[test]
#[ignore = "slow: --all runs it"]
fn nothing_is_raised_into_a_collector_that_has_been_torn_down() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let (program, collector) = (forge.program("endings.c"), forge.collector("torn_down.c"));
    for kind in ["exit-while-busy", "exit-in-region", "exit-code", "atexit"] {
        for _ in 0..5 {
            let outcome = Launch::of(&forge, &program).arg(kind).with_ora().with_collector(&collector).run();
            assert_ne!(outcome.status.code(), Some(99), "{}", outcome.describe());
            // After it has been torn down, the collector prints how many events it had received.
            let events = String::from_utf8_lossy(&outcome.stderr).into_owned();
            let events = events.trim().strip_prefix("torn down after ").and_then(|n| n.parse::<u64>().ok());
            assert!(events.is_some_and(|n| n > 0), "{}", outcome.describe());
        }
    }
}
