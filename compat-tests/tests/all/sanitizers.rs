//! Programs under gcc's sanitizers and under valgrind, which report nothing beyond what they report without the library.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use compat_tests::forge::{Forge, Language, fortran_is_here};
use compat_tests::small::{Small, small_programs};
use compat_tests::suite::{one_in, whole_matrix};
use compat_tests::valgrind::{findings, under_valgrind, valgrind_is_here};
use compat_tests::watch::{Watch, goes_unnoticed};

/// Programs that run outside of the whole matrix: those with the most unusual tasks and task arguments.
const CHOSEN: [&str; 6] = [
    "task_arguments.c",
    "task_alignment.cc",
    "task_by_hand_large.c",
    "task_copies.cc",
    "task_detach.c",
    "fortran_tasks.f90",
];

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

fn chosen() -> impl Iterator<Item = Small> {
    let wanted = |small: &Small| whole_matrix() || CHOSEN.iter().any(|name| small.source.ends_with(name));
    small_programs()
        .into_iter()
        .filter(move |small| wanted(small) && (!small.is_fortran() || fortran_is_here(&small.source)))
}

/// Checks every third of them, or each in the whole matrix, two at a time: valgrind runs one thread of a program at a time.
fn each_chosen(judge: impl Fn(&Small) + Sync) {
    let left = Mutex::new(chosen().step_by(one_in(3)));
    let next = || left.lock().ok()?.next();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(small) = next() {
                    judge(&small);
                }
            });
        }
    });
}

/// Path of a library that comes with gcc.
fn library_of_gcc(name: &str) -> PathBuf {
    let output = Command::new("gcc").arg(format!("-print-file-name={name}")).output();
    let path = output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default();
    assert!(Path::new(&path).is_absolute(), "gcc has no {name}");
    PathBuf::from(path)
}

fn sanitized(flag: &str, runtime: &str, variables: &[(&str, &str)]) {
    let (forge, runtime) = (forge(), library_of_gcc(runtime));
    for small in chosen() {
        let flags = ["-O1", "-g", "-fopenmp", "-pthread", "-Wno-maybe-uninitialized", flag];
        let source = format!("programs/{}", small.source);
        let program = forge.build(Language::of(&small.source), &[&source], &flags, "-sanitized");
        let launch = || {
            let launch = small.launch(&forge, &program, 3).with_preload(&runtime);
            variables.iter().fold(launch, |launch, (name, value)| launch.env(name, value))
        };
        let bare = goes_unnoticed(&forge, &[Watch::LevelZero, Watch::Armed, Watch::Storm], launch);
        assert!(small.ended_well(bare.status), "{}: {}", bare.status, bare.describe());
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn programs_with_asan_run_without_a_report() {
    // valgrind checks leaks, as libgomp sometimes leaks memory. Locals on the heap are not a stack that can be walked.
    let options = "detect_leaks=0:detect_stack_use_after_return=1:check_initialization_order=1";
    sanitized("-fsanitize=address", "libasan.so", &[("ASAN_OPTIONS", options)]);
}

#[test]
#[ignore = "slow: --all runs it"]
fn programs_with_ubsan_run_without_a_report() {
    sanitized("-fsanitize=undefined", "libubsan.so", &[("UBSAN_OPTIONS", "print_stacktrace=1")]);
}

#[test]
#[ignore = "slow: --all runs it"]
fn valgrind_finds_no_more_than_without_the_library() {
    if !valgrind_is_here("valgrind_finds_no_more_than_without_the_library") {
        return;
    }
    let forge = forge();
    let watches: &[_] = if whole_matrix() { &[Watch::Tracking, Watch::Armed, Watch::Storm] } else { &[Watch::Armed] };
    each_chosen(|small| {
        let program = forge.program(&small.source);
        let log = forge.dir().join(format!("{}.valgrind", small.source.replace('/', "-")));
        let launch = || small.over(under_valgrind(&forge, &program, &log).threads(3));
        let bare = launch().run();
        let expected = findings(&log, &bare);
        assert!(small.ended_well(bare.status), "{}: {}", bare.status, bare.describe());
        assert_eq!(expected.errors, 0, "the program itself is wrong: {}", bare.describe());
        for watch in watches {
            let watched = watch.over(&forge, launch()).run();
            let found = findings(&log, &watched);
            let said = || {
                format!("{watch:?}: {found:?}, bare: {expected:?}\nreport: {}\n{}", log.display(), watched.describe())
            };
            assert!(watched.status == bare.status && watched.stdout == bare.stdout, "{}", said());
            assert_eq!((found.errors, found.lost_by_us.len()), (0, 0), "{}", said());
            // libgomp sometimes loses a table of dependences; a lost block per task would be far more.
            assert!(found.lost <= expected.lost + 1024, "{}", said());
        }
    });
}
