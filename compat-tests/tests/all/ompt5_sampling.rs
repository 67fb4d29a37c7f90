//! Entry points of OpenMP 5 in signal handlers, at any point of interruption: the answers are always possible ones.

use compat_tests::forge::{Forge, Language};
use compat_tests::ompt5::named;
use compat_tests::run::Launch;

/// Output of the tool when it ends: samples, samples in regions, samples in explicit tasks, wrong answers.
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

/// Maximum number of runs of a program until there are enough samples: the number per run depends on the machine.
const RUNS: usize = 50;

/// Sum of the outputs of consecutive runs of `source`, until `are_enough`.
fn storms(source: &str, argument: &str, policy: &str, are_enough: impl Fn([u64; 4]) -> bool) {
    let mut all = [0; 4];
    for _ in 0..RUNS {
        let samples = storm(source, argument, policy);
        all.iter_mut().zip(samples).for_each(|(all, one)| *all += one);
        if are_enough(all) {
            return;
        }
    }
    panic!("{source}: hardly any samples in {RUNS} runs: {all:?}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn in_regions_of_all_kinds_every_answer_is_possible() {
    for policy in ["passive", "active"] {
        storms("churn.c", "800", policy, |all| all[0] > 250 && all[1] > 50);
    }
    for source in ["crowd.c", "nested.c", "many_threads.c"] {
        storms(source, "", "passive", |all| all[0] > 0 && all[1] > 0);
    }
}

#[test]
fn in_explicit_tasks_every_answer_is_possible() {
    storms("task_churn.c", "2000", "passive", |all| all[0] > 100 && all[2] > 20);
}
