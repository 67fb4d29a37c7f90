//! All kinds of processes: children, threads and exits inside regions and tasks, other stacks, many threads, short lives, and a library
//! that is loaded late.

use std::time::Duration;

use compat_tests::forge::{Forge, Language};
use compat_tests::library::libora;
use compat_tests::numbers::event;
use compat_tests::run::{Launch, Outcome};
use compat_tests::suite::{chosen, whole_matrix};
use compat_tests::watch::{Watch, goes_unnoticed};

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

fn same(source: &str, kind: &str) -> Outcome {
    let forge = forge();
    let program = forge.program(source);
    goes_unnoticed(&forge, &Watch::ALL, || Launch::of(&forge, &program).threads(4).arg(kind))
}

macro_rules! claims {
    ($($name:ident: $source:literal, [$($kind:literal),*], $said:literal;)*) => {
        $(#[test]
        fn $name() {
            for kind in [$($kind),*] {
                let bare = same($source, kind);
                assert!(bare.text().contains($said), "{}", bare.describe());
            }
        })*
    };
}

claims! {
    members_of_a_team_may_fork: "inside.c", ["region-fork"], "child 6\nafter 6";
    members_of_a_team_may_start_programs:
        "inside.c", ["region-fork-exec", "region-vfork-exec", "region-spawn"], "child 12\nafter 6";
    members_of_a_team_may_vfork: "inside.c", ["region-vfork"], "child 9\nafter 6";
    members_of_a_team_may_call_system: "inside.c", ["region-system"], "child 8\nafter 6";
    tasks_may_fork: "inside.c", ["task-fork"], "child 6\nsum 4";
    tasks_may_start_programs: "inside.c", ["task-fork-exec", "task-vfork-exec", "task-spawn"], "child 12\nsum 4";
    a_child_may_have_teams_and_tasks: "inside.c", ["child-with-tasks"], "child's sum 31\nchild 5\nsum 21";
    a_task_may_end_the_program:
        "inside.c", ["end-exit", "end-_exit", "end-abort", "end-undeferred-exit"], "about to end";
    a_thread_may_exit_in_a_task: "inside.c", ["thread-exit-in-task"], "result 7\ncleaned 11\nmembers 15";
    a_thread_may_be_cancelled_in_a_task: "inside.c", ["thread-cancel"], "result -1\ncleaned 111\nmembers 15";
    handlers_may_run_on_a_stack_below: "stacks.c", ["signal-low"], "11289 53";
    handlers_may_run_on_a_stack_above: "stacks.c", ["signal-high"], "11289 53";
    contexts_may_run_on_a_stack_below: "stacks.c", ["context-low"], "11289 53";
    contexts_may_run_on_a_stack_above: "stacks.c", ["context-high"], "11289 53";
}

/// Runs a program for a second, or longer if that was not enough for its member to leave.
fn until_it_waits(launch: impl Fn() -> Launch) -> (bool, Outcome) {
    let run = |seconds| launch().within(Duration::from_secs(seconds)).attempt();
    [1, 10]
        .into_iter()
        .map(run)
        .find(|(_, outcome)| outcome.text().contains("about to leave"))
        .unwrap_or_else(|| run(60))
}

/// A program that waits forever without us does so with us as well.
#[test]
fn a_team_waits_for_a_member_that_left() {
    let forge = forge();
    let program = forge.program("inside.c");
    for (turn, kind) in ["worker-exits", "primary-exits", "worker-is-cancelled"].into_iter().enumerate() {
        let launch = || Launch::of(&forge, &program).arg(kind);
        let (ended, bare) = until_it_waits(launch);
        assert!(!ended, "{}", bare.describe());
        for watch in chosen(&[Watch::LevelZero, Watch::Tracking, Watch::Armed], turn) {
            let (ended, watched) = until_it_waits(|| watch.over(&forge, launch()));
            assert!(!ended && watched.stdout == bare.stdout, "{watch:?}: {}", watched.describe());
        }
    }
}

#[test]
fn what_runs_on_other_stacks_is_reported() {
    let forge = forge();
    let program = forge.program("stacks.c");
    for kind in ["signal-low", "signal-high", "context-low", "context-high"] {
        let launch = Launch::of(&forge, &program).threads(4).arg(kind).with_ora();
        let outcome = launch.with_collector(&forge.collector("packed.c")).run().succeeded();
        let trace = outcome.trace();
        // Three regions, and one in each of 53 executions on other stacks.
        let counts = [event::FORK, event::JOIN].map(|number| trace.count(number));
        assert_eq!(counts, [3 + 53; 2], "{}", outcome.describe());
    }
}

#[test]
fn coroutines_may_end_their_regions_in_another_order() {
    let forge = forge();
    let program = forge.program("coroutines.c");
    let bare = goes_unnoticed(&forge, &Watch::ALL, || Launch::of(&forge, &program).threads(2));
    assert_eq!(bare.text(), "202\n");
}

#[test]
#[ignore = "slow: --all runs it"]
fn short_lived_threads_leave_nothing_behind() {
    let forge = forge();
    let program = forge.program("short_lived.c");
    let rounds = if whole_matrix() { 2000 } else { 500 };
    let launch = || Launch::of(&forge, &program).threads(4).arg(&rounds.to_string()).within(Duration::from_secs(120));
    let bare = launch().run().succeeded();
    assert_eq!(bare.text(), format!("{}\n", 7 * rounds));
    for watch in Watch::LEVELS {
        let watched = watch.over(&forge, launch()).without_trace().run().succeeded();
        assert_eq!(watched.text(), bare.text(), "{watch:?}: {}", watched.describe());
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_crowd_on_few_cores_and_small_stacks_runs_as_without_the_library() {
    let forge = forge();
    let program = forge.program("crowd.c");
    for size in ["64k", "4m"] {
        let launch = || Launch::of(&forge, &program).env("OMP_STACKSIZE", size).within(Duration::from_secs(120));
        let bare = goes_unnoticed(&forge, &Watch::LEVELS, launch);
        assert_eq!(bare.text(), "768 3840 1498500 771 768\n");
    }
}

#[test]
fn a_library_that_comes_late_hears_all_and_is_not_noticed() {
    let forge = forge();
    for binding in ["-Wl,-z,lazy", "-Wl,-z,now"] {
        let flags = ["-O2", "-g", "-fopenmp", "-pthread", binding];
        let program = forge.build(Language::C11, &["programs/late_library.c"], &flags, "-late");
        for threads in [1, 4] {
            let launch = || Launch::of(&forge, &program).threads(threads);
            let bare = launch().run().succeeded();
            let watched = launch().arg(&libora().to_string_lossy()).run().succeeded();
            assert_eq!(watched.text(), bare.text(), "{}", watched.describe());
            assert!(watched.describe().contains("START 0, FORK 20"), "{}", watched.describe());
        }
    }
}
