//! Small programs of `compat-tests`, compiled by gcc, don't violate any rule on libgomp with `libora.so`: deviations
//! are not accepted there.

use compat_tests::forge::{Forge, Language, fortran_is_here};
use compat_tests::run::Launch;
use compat_tests::small::{Small, small_programs};
use compat_tests::suite::{one_in, whole_matrix};

use crate::harness::goes_by_the_rules;

fn wanted(small: &Small) -> bool {
    // Without optimisation the validator needs more stack than this program has.
    let too_deep = cfg!(debug_assertions) && small.source == "small/task_stack.c";
    !too_deep && (!small.is_fortran() || fortran_is_here(&small.source))
}

fn run(threads: u32) {
    run_each(1, threads);
}

/// Runs every `step`th program.
fn run_each(step: usize, threads: u32) {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    for small in small_programs().into_iter().filter(wanted).step_by(step) {
        let source = format!("programs/{}", small.source);
        // If the last call is a jump, its return address isn't in the program.
        let flags = ["-O2", "-g", "-fopenmp", "-pthread", "-fno-optimize-sibling-calls"];
        let program = forge.build(Language::of(&small.source), &[&source], &flags, "");
        goes_by_the_rules(|| small.launch(&forge, &program, threads).with_ora());
    }
}

/// The programs of OMPT 5 that don't need a part of LLVM's runtime, compiled as users do: last calls are jumps.
fn as_users_compile(program: &str) {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = forge.build(Language::C11, &[&format!("programs/{program}")], &["-O2", "-g", "-fopenmp"], "");
    goes_by_the_rules(|| Launch::of(&forge, &program).awake().with_ora());
}

#[test]
fn target_regions_that_the_host_executes_break_no_rule() {
    as_users_compile("target.c");
    as_users_compile("devices.c");
}

#[test]
fn leagues_of_teams_on_the_host_break_no_rule() {
    as_users_compile("teams.c");
    as_users_compile("leagues.c");
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_break_no_rule_on_one_thread_of_libgomp() {
    run(1);
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_break_no_rule_on_two_threads_of_libgomp() {
    run(2);
}

#[test]
fn small_programs_break_no_rule_on_four_threads_of_libgomp() {
    run_each(one_in(4), 4);
}

#[test]
fn small_programs_break_no_rule_on_more_threads_of_libgomp() {
    if whole_matrix() {
        [3, 8, 16].into_iter().for_each(run);
    }
}

#[test]
fn tools_of_another_release_get_its_events_and_values_only() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let flags = ["-O2", "-g", "-fopenmp", "-fno-optimize-sibling-calls"];
    for source in ["small/loops_construct.c", "small/scopes.c", "small/taskwait_depend.c", "leagues.c"] {
        let program = forge.build(Language::C11, &[&format!("programs/{source}")], &flags, "");
        for release in ["5.0", "5.1", "5.2", "6.0"] {
            let launch = || Launch::of(&forge, &program).awake().threads(2).with_ora();
            goes_by_the_rules(|| launch().env("ORA_OMPT", release).env("ORA_VALIDATE_SPEC", release));
        }
    }
}
