//! Small programs of `compat-tests`, compiled by clang, don't violate any rule on native libomp. Its deviations from
//! the specification are known; otherwise it complies with the specification.
use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::{clang_is_here, omp_tools};
use compat_tests::run::Launch;
use compat_tests::small::{Small, small_programs};
use compat_tests::suite::{one_in, whole_matrix};
use validate_layout::rule::Rule;

use std::path::Path;

use crate::harness::{broken_rules, goes_by_the_rules_behind};

/// Programs that can't be compared, with the reason.
const LEFT_OUT: [(&str, &str); 10] = [
    ("small/atomics.c", "clang 19 refuses acq_rel on an atomic that doesn't read"),
    ("small/reductions.c", "clang 19 leaves a call of an undefined function"),
    ("small/scopes.c", "clang 19 can't compile scope with optimisation"),
    ("small/task_cancel_group.c", "clang 19 refuses firstprivate arrays of variable length"),
    ("small/task_vla.c", "clang 19 refuses firstprivate arrays of variable length"),
    ("small/task_region_reductions.c", "clang 19 refuses the task modifier on parallel"),
    ("small/teams_host.c", "clang 19 knows no lower bound of num_teams"),
    (
        "small/pthreads_queries.c",
        "libomp 19 crashes where a critical region ends under a tool and its first thread is gone",
    ),
    (
        "small/task_depend_none.c",
        "libomp 19 says that a task with an empty list of dependences has some, and reports none",
    ),
    ("small/taskwait_depend.c", "libomp 19 hangs at times, also without a tool"),
];

/// Programs whose untied tasks libomp 19 sometimes waits for without ever running them, also without a tool: with four
/// threads on two processors 6 of 3,000 runs of `task_exceptions.cc` never ended, with two threads none of 6,000, and
/// with four threads and tied tasks none of 4,000.
const FOR_TWO_THREADS: [&str; 2] = ["small/task_exceptions.cc", "small/task_sort.cc"];

fn wanted(small: &Small, threads: u32) -> bool {
    !small.is_fortran()
        && !LEFT_OUT.iter().any(|(source, _)| *source == small.source)
        && (threads <= 2 || !FOR_TWO_THREADS.contains(&&*small.source))
}

/// Runs every `step`th program, beginning with the one at `turn`.
fn run(step: usize, turn: usize, threads: u32) {
    run_behind(step, turn, threads, |_, launch| launch);
}

fn run_behind(step: usize, turn: usize, threads: u32, before: impl Fn(&Forge, Launch) -> Launch) {
    let test = "small programs on libomp";
    if !clang_is_here(test) || omp_tools(test).is_none() {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let programs = small_programs().into_iter().skip(turn % step).step_by(step);
    for small in programs.filter(|small| wanted(small, threads)) {
        let language = if small.source.ends_with(".cc") { Language::ClangCxx17 } else { Language::ClangC11 };
        let source = format!("programs/{}", small.source);
        // clang may warn about code that gcc compiles without a warning.
        let program = forge.build(language, &[&source], &["-O2", "-g", "-fopenmp", "-pthread", "-w"], "");
        goes_by_the_rules_behind(|| small.launch(&forge, &program, threads).awake(), |launch| before(&forge, launch));
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_break_no_rule_on_one_thread_of_libomp() {
    run(1, 0, 1);
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_break_no_rule_on_two_threads_of_libomp() {
    run(one_in(2), 0, 2);
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_break_no_rule_on_four_threads_of_libomp() {
    run(one_in(2), 1, 4);
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_break_no_rule_behind_the_library_on_libomp() {
    run_behind(one_in(2), 1, 2, |_, launch| launch.with_ora());
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_break_no_rule_behind_the_library_and_beside_a_collector_on_libomp() {
    run_behind(one_in(4), 0, 4, |forge, launch| launch.with_ora().with_collector(&forge.collector("armed.c")));
}

#[test]
fn small_programs_break_no_rule_on_more_threads_of_libomp() {
    if whole_matrix() {
        [3, 8, 16].into_iter().for_each(|threads| run(1, 0, threads));
    }
}

#[test]
fn programs_that_are_left_out_exist() {
    let all: Vec<_> = small_programs().into_iter().map(|small| small.source).collect();
    for source in LEFT_OUT.iter().map(|(source, _)| source).chain(&FOR_TWO_THREADS) {
        assert!(all.iter().any(|known| known == source), "{source}");
    }
}

/// Known faults of LLVM's runtime 19 and 21: the issues 64734 (the implicit task of a league's only team does not name the
/// league), 64894 (tasks in such a team have another task's barriers) and 78425 (each team begins a region that the
/// program does not contain, and in which nothing is called) of llvm-project.
#[test]
fn known_faults_of_leagues_are_found_by_rules() {
    let test = "known faults of libomp";
    if !clang_is_here(test) || omp_tools(test).is_none() {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/teams.c");
    let flags = ["-O1", "-g", "-fopenmp", "-w"];
    let program = forge.build(Language::ClangC11, &[source.to_str().unwrap()], &flags, "");
    let launch = || Launch::of(&forge, &program).awake().threads(2).env("KMP_TEAMS_THREAD_LIMIT", "64");
    let broken = broken_rules(|| launch().env("ORA_VALIDATE_SPEC", "5.2"));
    for rule in [Rule::InitialOnce, Rule::ParallelTeam, Rule::SyncTask, Rule::FrameEnter] {
        assert!(broken.contains(&rule), "{rule}: {broken:?}");
    }
    // Without a release the league is accepted.
    assert_eq!(broken_rules(launch), [Rule::SyncTask].into());
}
