//! Processes with private libgomps, with several of them, or with old parts of one.

use std::path::PathBuf;
use std::process::Command;

use compat_tests::forge::{Forge, Language};
use compat_tests::invariants::{self, Circumstances};
use compat_tests::numbers::event;
use compat_tests::private_libgomp::{copy, wheel, wheel_with};
use compat_tests::run::{Launch, Outcome};
use compat_tests::suite::whole_matrix;
use compat_tests::watch::{Watch, goes_unnoticed};

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// Two libraries, each with its own libgomp.
fn two_wheels(forge: &Forge) -> [PathBuf; 2] {
    ["gxmp", "gymp"].map(|letters| wheel(forge, Some(&copy(forge, letters))))
}

/// Runs a program that loads these libraries under every watch.
fn hosts(openmp: bool, how: &str, libraries: &[PathBuf]) {
    let forge = forge();
    let host = if openmp { forge.program("wheel_host.c") } else { forge.plain_program("wheel_host.c") };
    let launch = || {
        let launch = Launch::of(&forge, &host).threads(4).arg(how);
        libraries.iter().fold(launch, |l, library| l.arg(&library.to_string_lossy()))
    };
    let bare = goes_unnoticed(&forge, &Watch::ALL, launch);
    let right = bare.text().lines().all(|line| !line.contains('-'));
    assert!(bare.status.success() && right && !bare.stdout.is_empty(), "{}", bare.describe());
}

#[test]
fn the_copies_are_not_the_systems_libgomp() {
    let forge = forge();
    for library in two_wheels(&forge) {
        let output = Command::new("readelf").arg("-d").arg(&library).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("[libgxmp.so.1]") || text.contains("[libgymp.so.1]"), "{text}");
        assert!(!text.contains("[libgomp.so.1]"), "{text}");
    }
}

#[test]
fn a_private_libgomp_runs_right() {
    let [first, _] = two_wheels(&forge());
    hosts(false, "once", &[first]);
}

#[test]
fn a_private_libgomp_gets_arguments_that_lie_on_the_stack() {
    let forge = forge();
    hosts(false, "once", &[wheel_with(&forge, Some(&copy(&forge, "gxmp")), &["-DLONG_CALLS"])]);
}

#[test]
fn two_private_libgomps_run_right() {
    hosts(false, "once", &two_wheels(&forge()));
}

#[test]
fn two_private_libgomps_at_the_same_time_run_right() {
    hosts(false, "together", &two_wheels(&forge()));
}

#[test]
#[ignore = "slow: --all runs it"]
fn private_libgomps_beside_the_programs_own_run_right() {
    hosts(true, "once", &two_wheels(&forge()));
    hosts(true, "together", &two_wheels(&forge()));
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_systems_libgomp_loaded_late_runs_right() {
    let forge = forge();
    let [first, second] = two_wheels(&forge);
    let late = wheel(&forge, None);
    hosts(false, "once", std::slice::from_ref(&late));
    hosts(false, "once", &[first.clone(), late.clone(), second]);
    hosts(false, "together", &[late, first]);
}

#[test]
fn a_libgomp_that_is_unloaded_and_loaded_again_runs_right() {
    let forge = forge();
    let [first, second] = two_wheels(&forge);
    hosts(false, "reopen", std::slice::from_ref(&first));
    hosts(false, "reopen", &[first, wheel(&forge, None), second]);
}

#[test]
fn a_private_libgomp_that_was_made_global_serves_those_after_it() {
    hosts(false, "global", &two_wheels(&forge()));
}

#[test]
fn the_programs_own_regions_are_reported_beside_private_libgomps() {
    let forge = forge();
    let [first, _] = two_wheels(&forge);
    let launch = Launch::of(&forge, &forge.program("wheel_host.c")).arg("once").arg(&first.to_string_lossy());
    let outcome = launch.with_ora().with_collector(&forge.collector("padded.c")).run().succeeded();
    let trace = outcome.trace();
    let wrong = invariants::violations(&trace, Circumstances::default());
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
    // Five regions, and the one around the library's.
    assert!(trace.count(event::FORK) >= 6, "{}", outcome.describe());
}

/// Runs it under a collector; returns the number of regions, and the outcome.
fn observed(openmp: bool, how: &str, libraries: &[PathBuf]) -> (usize, Outcome) {
    let forge = forge();
    let host = if openmp { forge.program("wheel_host.c") } else { forge.plain_program("wheel_host.c") };
    let launch = libraries.iter().fold(Launch::of(&forge, &host).arg(how), |l, lib| l.arg(&lib.to_string_lossy()));
    let outcome = launch.with_ora().with_collector(&forge.collector("padded.c")).run().succeeded();
    let trace = outcome.trace();
    let wrong = invariants::violations(&trace, Circumstances::default());
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
    (trace.count(event::FORK), outcome)
}

/// Number of regions that the program makes a library run.
const ONCE: usize = 40;
const TOGETHER: usize = 20;

#[test]
fn each_private_libgomp_is_reported() {
    let forge = forge();
    let [first, second] = two_wheels(&forge);
    assert_eq!(observed(false, "once", std::slice::from_ref(&first)).0, ONCE);
    assert_eq!(observed(false, "once", &[first.clone(), second.clone()]).0, 2 * ONCE);
    assert_eq!(observed(false, "once", &[first.clone(), wheel(&forge, None), second.clone()]).0, 3 * ONCE);
    assert_eq!(observed(false, "together", &[first.clone(), second.clone()]).0, 2 * TOGETHER);
    assert_eq!(observed(false, "reopen", &[first.clone(), second.clone()]).0, 3 * 2 * ONCE);
    assert_eq!(observed(false, "global", &[first, second]).0, 2 * ONCE);
}

#[test]
fn a_tool_may_use_openmp_while_it_starts_where_the_program_has_only_private_libgomps() {
    let forge = forge();
    let flags = ["-O1", "-fopenmp", "-shared", "-fPIC"];
    let tool = forge.build(Language::C11, &["tools5/parallel.c"], &flags, ".so");
    let [first, _] = two_wheels(&forge);
    for library in [first, wheel(&forge, None)] {
        let launch =
            Launch::of(&forge, &forge.plain_program("wheel_host.c")).arg("once").arg(&library.to_string_lossy());
        let outcome = launch.with_ora().env("OMP_TOOL_LIBRARIES", &tool.to_string_lossy()).run().succeeded();
        let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
        assert_eq!(said, format!("2 members, {ONCE} regions\n"), "{}", outcome.describe());
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn more_private_libgomps_than_are_served_are_called_directly() {
    let forge = forge();
    let letters = ["gamp", "gbmp", "gcmp", "gdmp", "gemp", "gfmp", "ggmp", "ghmp", "gimp"];
    let many = letters.map(|letters| wheel(&forge, Some(&copy(&forge, letters))));
    assert_eq!(observed(false, "once", &many).0, 7 * ONCE);
    hosts(false, "together", &many);
}

#[test]
#[ignore = "slow: --all runs it"]
fn regions_of_a_constructor_and_of_a_thread_that_it_waits_for_are_reported() {
    let forge = forge();
    let [early, second] =
        ["gxmp", "gymp"].map(|letters| wheel_with(&forge, Some(&copy(&forge, letters)), &["-DEARLY", "-pthread"]));
    hosts(false, "once", &[early.clone(), second.clone()]);
    assert_eq!(observed(false, "once", &[early]).0, ONCE + 4);
    hosts(true, "once", &[second]);
}

/// Values of the output of `wheel_cycle`, by their words.
fn cycle(rounds: usize, libraries: &[PathBuf], watched: bool) -> impl Fn(&str) -> i64 {
    let forge = forge();
    let launch = Launch::of(&forge, &forge.plain_program("wheel_cycle.c")).arg(&rounds.to_string());
    let launch = libraries.iter().fold(launch, |l, library| l.arg(&library.to_string_lossy()));
    // With one arena the number of mappings doesn't depend on how many threads were in malloc simultaneously.
    let launch = launch.env("MALLOC_ARENA_MAX", "1");
    let outcome = if watched { launch.with_ora() } else { launch }.run().succeeded();
    let text = outcome.text();
    move |word| {
        let figure = text.lines().find_map(|line| line.strip_prefix(word)?.trim().parse().ok());
        assert!(figure.is_some(), "no {word}: {text}");
        figure.unwrap_or(0)
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn libgomps_that_come_and_go_are_reported_each_time_and_leave_nothing_behind() {
    let libraries = two_wheels(&forge());
    let rounds = if whole_matrix() { 200 } else { 60 };
    let (bare, watched) = (cycle(rounds, &libraries, false), cycle(rounds, &libraries, true));
    assert_eq!((bare("wrong"), bare("regions")), (0, -1));
    // Two libraries, four threads.
    assert_eq!(
        (watched("wrong"), watched("regions"), watched("uneven")),
        (0, i64::try_from(rounds).unwrap() * 2 * 4, 0)
    );
    // Threads that make queries afterwards don't access unloaded memory.
    assert_eq!(watched("unknown"), 0);
    assert!(watched("memory") <= bare("memory").max(0) + 256, "{} KiB more", watched("memory"));
    assert!(watched("mappings") <= bare("mappings").max(0) + 4, "{} mappings more", watched("mappings"));
}

#[test]
fn libgomps_that_come_and_go_may_lie_in_more_places_than_are_served() {
    let forge = forge();
    let libgomp = copy(&forge, "gxmp");
    let sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(|size| format!("-DBALLAST={size}*65536"));
    let libraries = sizes.map(|size| wheel_with(&forge, Some(&libgomp), &[&size]));
    let watched = cycle(10, &libraries, true);
    assert_eq!((watched("wrong"), watched("uneven"), watched("unknown")), (0, 0, 0));
}

#[test]
fn old_nest_locks_are_left_to_old_functions() {
    let forge = forge();
    for names in ["-DNAMES_OF_C", "-DNAMES_OF_FORTRAN"] {
        let flags = ["-O2", "-g", "-fopenmp", "-pthread", names];
        let program = forge.build(compat_tests::forge::Language::C11, &["programs/old_nest_locks.c"], &flags, "");
        let bare = goes_unnoticed(&forge, &Watch::ALL, || Launch::of(&forge, &program));
        assert!(bare.status.success(), "{}", bare.describe());
        // The one wait that is forced is reported, on the old function as well.
        let outcome = Launch::of(&forge, &program).with_ora().with_collector(&forge.collector("packed.c")).run();
        let trace = outcome.trace();
        let outcome = outcome.succeeded();
        assert!(trace.count(event::BEGIN_LKWT) >= 1, "{}", outcome.describe());
        let wrong = invariants::violations(&trace, Circumstances::default());
        assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
    }
}

#[test]
fn old_nest_locks_of_a_private_libgomp_are_left_to_its_old_functions() {
    let forge = forge();
    let rpath = format!("-Wl,-rpath,{}", forge.dir().display());
    for (letters, names) in [("gxmp", "-DNAMES_OF_C"), ("gymp", "-DNAMES_OF_FORTRAN")] {
        let flags = ["-O2", "-g", "-shared", "-fPIC", "-fopenmp", "-DAS_LIBRARY", names, "-Wl,--as-needed", &rpath];
        let libgomp = copy(&forge, letters);
        let sources = ["programs/old_nest_locks.c"];
        let library = forge.link(compat_tests::forge::Language::C11, &sources, &flags, &[&libgomp], ".so");
        hosts(false, "once", &[library]);
    }
}

#[test]
fn a_program_without_openmp_finds_no_runtime() {
    let forge = forge();
    let program = forge.plain_program("no_openmp.c");
    let bare = goes_unnoticed(&forge, &Watch::ALL, || Launch::of(&forge, &program));
    assert_eq!(bare.text(), "found: 0\n", "{}", bare.describe());
}

#[test]
fn without_a_runtime_the_librarys_entries_are_sequential() {
    let forge = forge();
    let program = forge.plain_program("stubs.c");
    for watch in Watch::ALL {
        let outcome = watch.over(&forge, Launch::of(&forge, &program)).run().succeeded();
        let text = outcome.text();
        for line in ["a region: 1\n", "tasks: 3\n", "taskloops: 20\n", "doacross: 1 0 7\n", "done\n"] {
            assert!(text.contains(line), "{watch:?}, {line:?}: {}", outcome.describe());
        }
    }
}
