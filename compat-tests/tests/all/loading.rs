//! Ways into a process other than LD_PRELOAD, and a process without a visible runtime.

use std::path::Path;
use std::process::Command;

use compat_tests::expect::Expected;
use compat_tests::forge::{Forge, Language};
use compat_tests::invariants::{self, Circumstances};
use compat_tests::library::libora;
use compat_tests::run::Launch;
use compat_tests::watch::{Watch, goes_unnoticed};

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// Runs a program of the suite in some unusual way with a collector; the events must still match its text.
fn expect_all_events(source: &str, launch: Launch) {
    let outcome = launch.threads(4).run().succeeded();
    let trace = outcome.trace();
    let mut wrong = invariants::violations(&trace, Circumstances::default());
    wrong.extend(Expected::of_program(source, 4).into_iter().flat_map(|e| e.differences(&trace)));
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
}

#[test]
fn a_program_that_is_linked_to_the_library_is_heard_like_any_other() {
    let forge = forge();
    let library = libora();
    let rpath = format!("-Wl,-rpath,{}", library.parent().unwrap_or(Path::new("/")).display());
    for source in ["barriers.c", "loops.c", "tasks.c"] {
        let flags = ["-O2", "-g", "-fopenmp", "-pthread", "-Wl,--no-as-needed", &rpath];
        let program = forge.link(Language::C11, &[&format!("programs/{source}")], &flags, &[&library], "-linked");
        expect_all_events(source, Launch::of(&forge, &program).with_collector(&forge.collector("padded.c")));
    }
}

/// With `--as-needed` as its default, the linker resolves everything that libgomp is needed for from this library.
#[test]
fn a_program_that_is_linked_to_the_library_and_to_no_runtime_gets_the_runtime_and_is_heard() {
    let forge = forge();
    let library = libora();
    let rpath = format!("-Wl,-rpath,{}", library.parent().unwrap_or(Path::new("/")).display());
    for source in ["critical.c", "ordered.c", "sections.c"] {
        let flags = ["-O2", "-g", "-fopenmp", "-pthread", "-Wl,--as-needed", &rpath];
        let program = forge.link(Language::C11, &[&format!("programs/{source}")], &flags, &[&library], "-linked-only");
        let needed = Command::new("objdump").arg("-p").arg(&program).output().unwrap();
        assert!(
            !String::from_utf8_lossy(&needed.stdout).contains("libgomp"),
            "{source} is linked to libgomp after all"
        );
        expect_all_events(source, Launch::of(&forge, &program).with_collector(&forge.collector("padded.c")));
    }
}

#[test]
fn every_kind_of_binding_is_heard() {
    let forge = forge();
    let ways: [&[&str]; 5] = [
        &["-Wl,-z,now,-z,relro"],
        &["-Wl,-z,lazy,-z,norelro"],
        &["-fno-plt", "-Wl,-z,relro"],
        &["-no-pie", "-fno-pie"],
        &["-O0", "-Wl,-z,pack-relative-relocs"],
    ];
    for way in ways {
        for source in ["function_pointers.c", "single.c", "combined_calls.c"] {
            let flags = [&["-O2", "-g", "-fopenmp", "-pthread"], way].concat();
            let program = forge.build(Language::C11, &[&format!("programs/{source}")], &flags, "-bound");
            expect_all_events(
                source,
                Launch::of(&forge, &program).with_ora().with_collector(&forge.collector("packed.c")),
            );
        }
    }
}

#[test]
fn a_program_with_libgomp_linked_in_is_not_disturbed() {
    let forge = forge();
    let output = Command::new("gcc").arg("-print-file-name=libgomp.a").output();
    let archive = output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default();
    assert!(Path::new(&archive).is_file(), "gcc has no libgomp.a: {archive}");
    for source in ["barriers.c", "churn.c", "user_threads.c"] {
        let flags = ["-O2", "-g", "-fopenmp", "-pthread", "-Wl,--as-needed"];
        let archive = Path::new(&archive);
        let program = forge.link(Language::C11, &[&format!("programs/{source}")], &flags, &[archive], "-static");
        let bare = goes_unnoticed(&forge, &Watch::ALL, || Launch::of(&forge, &program).threads(4));
        assert!(bare.status.success(), "{}", bare.describe());
    }
}

#[test]
fn a_collector_that_is_preloaded_in_front_of_the_library_is_served() {
    let forge = forge();
    let program = forge.program("barriers.c");
    let launch = Launch::of(&forge, &program).with_collector(&forge.collector("packed.c")).with_ora();
    expect_all_events("barriers.c", launch);
}
