//! Small programs, one for each construct and corner case: each does the same, byte for byte, under every kind of observation. Where that
//! is its subject, it prints the results of `omp_get_*`.

use std::time::Duration;

use compat_tests::forge::{Forge, fortran_is_here};
use compat_tests::run::Launch;
use compat_tests::small::{Small, small_programs};
use compat_tests::suite::{every_other, is_short, whole_matrix};
use compat_tests::watch::{Watch, goes_unnoticed};

const THREADS: [u32; 3] = [1, 2, 4];

/// Runs each program that `wanted` selects, under the watches for its place in the list.
fn run(threads: u32, policy: &str, watches: impl Fn(usize) -> Vec<Watch>, wanted: impl Fn(&Small) -> bool) {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    for (case, small) in small_programs().into_iter().enumerate() {
        if !wanted(&small) || (small.is_fortran() && !fortran_is_here(&small.source)) {
            continue;
        }
        let program = forge.program(&small.source);
        let launch = || small.launch(&forge, &program, threads).env("OMP_WAIT_POLICY", policy);
        let bare = goes_unnoticed(&forge, &watches(case), launch);
        assert!(small.ended_well(bare.status), "wrong without the library: {}: {}", bare.status, bare.describe());
        assert!(!bare.stdout.is_empty(), "says nothing: {}", bare.describe());
    }
}

/// Runs each program under each watch on some of the thread counts; the whole matrix has all of them.
fn all(turn: usize) {
    let watches = if whole_matrix() { &Watch::ALL[..] } else { &Watch::LEVELS };
    run(THREADS[turn], "passive", |case| every_other(watches, case + turn), |_| true);
}

#[test]
fn small_programs_run_as_without_the_library_on_one_thread() {
    all(0);
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_run_as_without_the_library_on_two_threads() {
    all(1);
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_run_as_without_the_library_on_four_threads() {
    all(2);
}

#[test]
#[ignore = "slow: --all runs it"]
fn tasks_run_as_without_the_library_on_two_threads_that_spin() {
    run(2, "active", |_| vec![Watch::Armed, Watch::Storm], Small::has_tasks);
}

#[test]
fn there_are_many_small_programs_and_each_says_what_it_is_for() {
    let programs = small_programs();
    assert!(programs.len() >= 60, "{}", programs.len());
    for small in programs {
        let path = compat_tests::library::crate_dir().join("programs").join(&small.source);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(["/* ", "// ", "! "].iter().any(|comment| text.starts_with(comment)), "{}", small.source);
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn tasks_of_every_kind_stand_a_thousand_sessions() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = forge.program("task_churn.c");
    let rounds = if is_short() { "4000" } else { "20000" };
    for threads in THREADS {
        let launch = || Launch::of(&forge, &program).threads(threads).arg(rounds).within(Duration::from_secs(120));
        let bare = launch().run().succeeded();
        // There are more events than a trace holds.
        let stormy = Watch::Storm.over(&forge, launch()).without_trace().run().succeeded();
        assert_eq!(stormy.text(), bare.text(), "{}", stormy.describe());
    }
}
