//! Callbacks at a worker's end: they are invoked while its thread-local objects still live, no matter how the worker ends.

use std::path::PathBuf;

use compat_tests::forge::{Forge, Language};
use compat_tests::private_libgomp::copy;
use compat_tests::run::{Launch, Outcome};

const COLLECTOR: u8 = 1;
const TR2: u8 = 2;
const OPENMP_5: u8 = 3;

/// Parts of the program, and its last output. In the last parts the program waits for the worker's end.
const PARTS: [(&str, &str); 5] = [
    ("teams", "sum 43\n"),
    ("nested", "sum 18\n"),
    ("pause", "sum 13\n"),
    ("exit", "joined\n"),
    ("cancel", "joined\n"),
];

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

fn tool(forge: &Forge, face: u8) -> PathBuf {
    let face = format!("-DFACE={face}");
    let flags = ["-O2", "-g", "-shared", "-fPIC", "-pthread", &face];
    forge.build(Language::Cxx17, &["tools5/living.cc"], &flags, ".so")
}

/// Number of workers that started and that ended, and of callbacks that came too late.
fn counts(outcome: &Outcome) -> [u32; 3] {
    let said = String::from_utf8_lossy(&outcome.stderr);
    let line = said.lines().find(|line| line.starts_with("begun ")).unwrap_or_default();
    let numbers: Vec<u32> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert_eq!(numbers.len(), 3, "{}", outcome.describe());
    [numbers[0], numbers[1], numbers[2]]
}

fn run(face: u8, part: &str) -> Outcome {
    let forge = forge();
    let program = forge.program("ending_workers.c");
    let launch = Launch::of(&forge, &program).arg(part).with_ora().with_tool(&tool(&forge, face));
    // A collector gets a worker's last barrier late, but no later than at the worker's end.
    let launch = if face == COLLECTOR { launch.env("ORA_IBAR", "late") } else { launch };
    launch.run().succeeded()
}

#[test]
fn a_tools_thread_local_objects_live_when_a_workers_end_is_reported() {
    for face in [COLLECTOR, TR2, OPENMP_5] {
        for (part, result) in PARTS {
            let outcome = run(face, part);
            let [begun, ended, late] = counts(&outcome);
            assert_eq!(outcome.text(), result, "{face}: {}", outcome.describe());
            assert!(begun > 0, "{face}: {}", outcome.describe());
            assert_eq!(late, 0, "{face} of {ended}: {}", outcome.describe());
        }
    }
}

#[test]
fn a_worker_that_leaves_in_a_region_ends_once() {
    for face in [TR2, OPENMP_5] {
        for part in ["exit", "cancel"] {
            let outcome = run(face, part);
            assert_eq!(counts(&outcome), [1, 1, 0], "{face}: {}", outcome.describe());
        }
    }
}

#[test]
fn workers_of_a_private_libgomp_end_in_time_too() {
    let forge = forge();
    let rpath = format!("-Wl,-rpath,{}", forge.dir().display());
    let flags = ["-O2", "-g", "-shared", "-fPIC", "-fopenmp", "-pthread", "-DLIBRARY", "-Wl,--as-needed", &rpath];
    let source = ["programs/ending_workers.c"];
    let library = forge.link(Language::C11, &source, &flags, &[&*copy(&forge, "gzmp")], ".so");
    let host = forge.plain_program("library_host.c");
    for face in [TR2, OPENMP_5] {
        let launch = Launch::of(&forge, &host).arg(&library.to_string_lossy()).arg("exit").with_ora();
        let outcome = launch.with_tool(&tool(&forge, face)).run().succeeded();
        assert_eq!(counts(&outcome), [1, 1, 0], "{face}: {}", outcome.describe());
    }
}
