//! Runtimes that report themselves through `ora_embed.h`.

use std::path::{Path, PathBuf};

use compat_tests::forge::{Forge, Language};
use compat_tests::library::{crate_dir, libora};
use compat_tests::run::Launch;
use compat_tests::valgrind::valgrind_is_here;

/// A program of `embed/`, linked to the library.
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
        let told =
            expected.contains(&format!(": state {state},")) || expected.contains(&format!(": state {state} wait"));
        assert!(told, "state {state} is not covered");
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
    // 3 regions of 3 threads, of which 2 are workers; every member waits once, meets one barrier and creates 4 tasks.
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

/// Threads that only the C library puts in order: what helgrind can follow. (Of OpenMP's runtimes it sees nothing.) A late
/// question about a region, which its next holder may just be taking, is put in order by atomics.
#[test]
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
