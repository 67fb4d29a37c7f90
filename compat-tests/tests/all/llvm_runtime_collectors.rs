//! Collectors on runtimes with OMPT: the events are those of the program's text, except for the gaps in `tables/ompt-host-ora.txt`.

use compat_tests::conformance::of_collector;
use compat_tests::forge::{Forge, fortran_is_here};
use compat_tests::known_gaps::Gaps;
use compat_tests::session_rules;
use compat_tests::stacks::{Compiler, INSTALLED, Stack};
use compat_tests::suite::{HABITS, PROGRAMS, Program, chosen, one_thread_count, whole_matrix};

fn conforms(compiler: Compiler, runtime: &'static str) {
    let Some(stack) = Stack::find((compiler, runtime), "conforms") else { return };
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let mut gaps = Gaps::read("ompt-host-ora.txt", &stack.to_string());
    let here = |program: &&Program| !program.is_fortran() || fortran_is_here(program.source);
    for (turn, program) in PROGRAMS.iter().filter(here).enumerate() {
        for (case, threads) in one_thread_count(turn + 1).iter().enumerate() {
            for habit in chosen(&HABITS, turn + case) {
                let collector = forge.collector(habit);
                let (differences, command) = stack.differences(&forge, program, *threads, &collector, |outcome| {
                    of_collector(&outcome.trace(), program, compiler, *threads)
                });
                gaps.take(program.source, &differences, &command);
            }
        }
    }
    let wrong = gaps.verdict();
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// Checks sessions that start, pause and end while four threads are in all kinds of constructs.
fn tells_no_halves(compiler: Compiler, runtime: &'static str) {
    let Some(stack) = Stack::find((compiler, runtime), "tells_no_halves") else { return };
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    // clang 19's code for dynamic loops needs a runtime newer than 16.
    let old = compiler == Compiler::Clang && ["libomp-14", "libomp-16"].contains(&runtime);
    let source = if old { "nested.c" } else { "churn.c" };
    let program = stack.program(&forge, source).expect("both compilers can make it");
    for _ in 0..if whole_matrix() { 20 } else { 1 } {
        let launch = stack.launch(&forge, &program).threads(4).arg("300").with_ora();
        let outcome = launch.with_collector(&forge.collector("storm.c")).run().succeeded();
        let trace = outcome.trace();
        let wrong = session_rules::violations(&trace);
        assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
        assert!(old || trace.events().count() > 100, "{}", outcome.describe());
    }
}

const RUNTIMES: [&str; 4] = [INSTALLED, "libomp-16", "libomp-14", "libiomp5"];

#[test]
#[ignore = "slow: --all runs it"]
fn sessions_in_the_middle_of_clangs_programs_are_told_no_halves() {
    for runtime in RUNTIMES {
        tells_no_halves(Compiler::Clang, runtime);
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn sessions_in_the_middle_of_gccs_programs_are_told_no_halves() {
    for runtime in RUNTIMES {
        tells_no_halves(Compiler::Gcc, runtime);
    }
}

macro_rules! programs_raise_what_their_text_says {
    ($($name:ident: $compiler:ident, $runtime:expr;)*) => {
        $(#[test]
        #[ignore = "slow: --all runs it"]
        fn $name() {
            conforms(Compiler::$compiler, $runtime);
        })*
    };
}

programs_raise_what_their_text_says! {
    clangs_programs_on_libomp: Clang, INSTALLED;
    gccs_programs_on_libomp: Gcc, INSTALLED;
    clangs_programs_on_libomp_16: Clang, "libomp-16";
    gccs_programs_on_libomp_16: Gcc, "libomp-16";
    clangs_programs_on_libomp_14: Clang, "libomp-14";
    gccs_programs_on_libomp_14: Gcc, "libomp-14";
    clangs_programs_on_libiomp5: Clang, "libiomp5";
    gccs_programs_on_libiomp5: Gcc, "libiomp5";
}
