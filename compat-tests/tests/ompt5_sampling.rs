//! The entry points of OpenMP 5 in signal handlers, wherever they interrupt: what they answer is always possible.
#![allow(clippy::panic, clippy::indexing_slicing, reason = "a test has no other way to fail")]

use compat_tests::forge::{Forge, Language};
use compat_tests::ompt5::named;
use compat_tests::run::Launch;

/// What the tool says at the end: samples, samples in regions and in explicit tasks, wrong answers.
fn storm(source: &str, argument: &str, policy: &str) -> [u64; 4] {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let flags = ["-O2", "-g", "-shared", "-fPIC", "-pthread"];
    let tool = forge.build(Language::C99, &["tools5/storm.c", "collectors/sampler.c"], &flags, ".so");
    let launch = Launch::of(&forge, &forge.program(source)).arg(argument).threads(4).with_ora();
    let outcome = named(launch, &tool).env("TRACE_SAMPLE", "each").env("OMP_WAIT_POLICY", policy).run().succeeded();
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let line =
        said.lines().find_map(|line| line.strip_prefix("storm: ")).unwrap_or_else(|| panic!("{}", outcome.describe()));
    let numbers: Vec<u64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
    let all = [numbers[0], numbers[1], numbers[2], numbers[3]];
    assert_eq!(all[3], 0, "wrong answers: {}", outcome.describe());
    all
}

#[test]
fn in_regions_of_all_kinds_every_answer_is_possible() {
    let mut all = [0; 4];
    for policy in ["passive", "active"] {
        let samples = storm("churn.c", "800", policy);
        all.iter_mut().zip(samples).for_each(|(all, one)| *all += one);
    }
    for source in ["crowd.c", "nested.c", "many_threads.c"] {
        let samples = storm(source, "", "passive");
        all.iter_mut().zip(samples).for_each(|(all, one)| *all += one);
    }
    assert!(all[0] > 500 && all[1] > 100, "hardly any samples: {all:?}");
}

#[test]
fn in_explicit_tasks_every_answer_is_possible() {
    let all = storm("task_churn.c", "2000", "passive");
    assert!(all[0] > 100 && all[2] > 5, "hardly any samples in tasks: {all:?}");
}
