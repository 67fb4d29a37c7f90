//! Runtimes that report themselves through `ora_embed.h`.

use std::path::{Path, PathBuf};

use compat_tests::forge::{Forge, Language};
use compat_tests::library::{crate_dir, libora};
use compat_tests::ompt5::{ToolTrace, named, tool};
use compat_tests::run::Launch;
use compat_tests::tr2;
use compat_tests::valgrind::valgrind_is_here;

/// Builds a program of `embed/`, linked to the library.
fn linked(forge: &Forge, sources: &[&str]) -> PathBuf {
    let library = libora();
    let folder = format!("-Wl,-rpath,{}", library.parent().expect("a file lies in a folder").display());
    let flags = ["-O2", "-g", "-Iembed", "-pthread", "-rdynamic", &folder];
    forge.link(Language::C11, sources, &flags, &[&library], "")
}

#[test]
fn every_event_state_and_error_is_raised_in_order() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = linked(&forge, &["embed/every_event.c"]);
    let expected = std::fs::read_to_string(crate_dir().join("embed/every_event.txt")).unwrap();
    for event in 1..=35 {
        assert!(expected.contains(&format!(" event {event}: ")), "event {event} is not covered");
    }
    for state in 1..=16 {
        let is_covered =
            expected.contains(&format!(": state {state},")) || expected.contains(&format!(": state {state} wait"));
        assert!(is_covered, "state {state} is not covered");
    }
    assert_eq!(Launch::of(&forge, &program).run().succeeded().text(), expected);
}

#[test]
fn a_small_runtime_gets_its_events_for_free() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = linked(&forge, &["embed/teams.c", "embed/teams_program.c"]);
    assert_eq!(Launch::of(&forge, &program).run().succeeded().text(), "45\n");
    let watched = Launch::of(&forge, &program).with_collector(&forge.collector("packed.c")).run().succeeded();
    assert_eq!(watched.text(), "45\n");
    let trace = watched.trace();
    // There are 3 regions of 3 threads each, of which 2 are workers; every member waits once, reaches one barrier and creates 4 tasks.
    let expected = [
        (1, 3),
        (2, 3),
        (3, 2 + 6),
        (4, 6),
        (5, 9),
        (6, 9),
        (7, 9),
        (8, 9),
        (23, 36),
        (24, 0),
        (25, 36),
        (28, 9),
        (29, 9),
        (33, 36),
        (34, 36),
        (35, 36),
    ];
    for (event, count) in expected {
        assert_eq!(trace.count(event), count, "event {event}\n{}", watched.describe());
    }
    assert_eq!(trace.count(9), trace.count(10), "waits for locks\n{}", watched.describe());
}

#[test]
fn tools_of_openmp_5_are_told_of_a_small_runtime() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = linked(&forge, &["embed/teams.c", "embed/teams_program.c"]);
    let outcome = named(Launch::of(&forge, &program).with_trace(), &tool(&forge)).run().succeeded();
    assert_eq!(outcome.text(), "45\n");
    let reports = ToolTrace::of(&outcome);
    let count = |word: &str| reports.only(&[word]).len();
    assert_eq!(["start", "initialize", "finalize"].map(count), [1; 3], "{reports:?}");
    assert_eq!(["thread_begin", "thread_end"].map(count), [3; 2], "{reports:?}");
    assert_eq!(["parallel_begin", "parallel_end"].map(count), [3; 2], "{reports:?}");
    // Three regions of three threads, and the initial task.
    assert_eq!(count("implicit_task"), 2 * (9 + 1), "{reports:?}");
    // Each member creates four tasks.
    assert_eq!(["task_create", "task_schedule"].map(count), [36, 72], "{reports:?}");
    // Each one waits for its tasks, at a barrier, and at the end of the region.
    assert_eq!(["sync_region", "sync_region_wait"].map(count), [2 * 3 * 9; 2], "{reports:?}");
    // Events that the runtime doesn't report are answered with "never".
    let answers = reports.answers();
    let answer = |name: &str| answers.iter().find(|(its, _)| *its == name).map(|(_, answer)| *answer);
    assert_eq!([answer("task_create"), answer("mutex_acquire"), answer("work")], [Some(5), Some(1), Some(1)]);
}

#[test]
fn tools_of_tr2_are_told_of_a_small_runtime() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = linked(&forge, &["embed/teams.c", "embed/teams_program.c"]);
    let outcome = Launch::of(&forge, &program).with_collector(&tr2::verdict::tool(&forge)).run().succeeded();
    assert_eq!(outcome.text(), "45\n");
    let trace = tr2::verdict::trace(&outcome);
    assert!(trace.version.contains("ora_embed.h"), "{}", trace.version);
    for (event, count) in [
        ("thread_begin", 3),
        ("thread_end", 3),
        ("parallel_begin", 3),
        ("parallel_end", 3),
        ("implicit_task_begin", 9),
        ("implicit_task_end", 9),
        ("task_begin", 36),
        ("task_end", 36),
        ("barrier_begin", 18),
        ("barrier_end", 18),
        ("taskwait_begin", 9),
        ("idle_begin", 8),
    ] {
        assert_eq!(trace.count(event), count, "{event}");
    }
    assert_eq!(tr2::rules::violations(&trace, false), Vec::<String>::new());
}

/// The C library alone synchronises the threads, which helgrind can follow. (It sees nothing of OpenMP's runtimes.) Atomics order a late
/// query of a region, whose record another region may be reusing at that moment.
#[test]
#[ignore = "slow: --all runs it"]
fn helgrind_finds_nothing_in_a_small_runtime_that_is_watched() {
    if !valgrind_is_here("helgrind") {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = linked(&forge, &["embed/teams.c", "embed/teams_program.c"]);
    let helgrind = Launch::of(&forge, Path::new("valgrind")).arg("--tool=helgrind").arg("--quiet");
    let atomics = format!("--suppressions={}", crate_dir().join("embed/helgrind.supp").display());
    let launch = helgrind.arg(&atomics).arg("--error-exitcode=9").arg(&program.to_string_lossy());
    let outcome = launch.with_collector(&forge.collector("packed.c")).run().succeeded();
    assert_eq!((outcome.text().as_str(), outcome.trace().count(1)), ("45\n", 3), "{}", outcome.describe());
}
