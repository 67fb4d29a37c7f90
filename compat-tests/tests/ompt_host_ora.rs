//! Collectors on runtimes that speak OMPT: what is raised is what the program's text says, but for the gaps in
//! `tables/ompt-host-ora.txt`.

use compat_tests::conformance::of_collector;
use compat_tests::forge::{Forge, fortran_is_here};
use compat_tests::gaps::{Difference, Gaps};
use compat_tests::stacks::{Compiler, Stack};
use compat_tests::suite::{HABITS, PROGRAMS, Program, chosen, whole_matrix};

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// What one run has otherwise, and its command.
fn run(forge: &Forge, stack: &Stack, program: &Program, threads: u32, habit: &str) -> (Vec<Difference>, String) {
    let Some(path) = stack.program(forge, program.source) else {
        return (vec![Difference { what: "unbuilt".to_owned(), sentence: "it can't be compiled".to_owned() }], String::new());
    };
    let launch = || program.env.iter().fold(stack.launch(forge, &path).threads(threads), |l, (n, v)| l.env(n, v));
    let (ended, outcome) = launch().with_ora().with_collector(&forge.collector(habit)).attempt();
    if ended && outcome.status.success() {
        let differences = match outcome.trace_of(outcome.pid) {
            None => vec![Difference { what: "untold".to_owned(), sentence: "there is no trace".to_owned() }],
            Some(_) => of_collector(&outcome.trace(), program, stack.compiler, threads),
        };
        return (differences, outcome.command.clone());
    }
    let (alone_ended, alone) = launch().attempt();
    let what = if alone_ended && alone.status.success() { "fails" } else { "fails-without-us" };
    (vec![Difference { what: what.to_owned(), sentence: outcome.describe() }], outcome.command.clone())
}

fn conforms(compiler: Compiler, runtime: &'static str) {
    let Some(stack) = Stack::find((compiler, runtime), "conforms") else { return };
    let forge = forge();
    let mut gaps = Gaps::read("ompt-host-ora.txt", &stack.to_string());
    for (turn, program) in PROGRAMS.iter().enumerate() {
        if program.is_fortran() && !fortran_is_here(program.source) {
            continue;
        }
        let threads: &[u32] = if whole_matrix() { &[1, 2, 4, 16] } else { &[2, 4] };
        for (case, threads) in threads.iter().enumerate() {
            for habit in chosen(&HABITS, turn + case) {
                let (differences, command) = run(&forge, &stack, program, *threads, habit);
                gaps.take(program.source, &differences, &command);
            }
        }
    }
    let wrong = gaps.verdict();
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

macro_rules! programs_raise_what_their_text_says {
    ($($name:ident: $compiler:ident, $runtime:literal;)*) => {
        $(#[test]
        fn $name() {
            conforms(Compiler::$compiler, $runtime);
        })*
    };
}

programs_raise_what_their_text_says! {
    clangs_programs_on_libomp_19: Clang, "libomp-19";
    gccs_programs_on_libomp_19: Gcc, "libomp-19";
    clangs_programs_on_libomp_16: Clang, "libomp-16";
    gccs_programs_on_libomp_16: Gcc, "libomp-16";
    clangs_programs_on_libomp_14: Clang, "libomp-14";
    gccs_programs_on_libomp_14: Gcc, "libomp-14";
    clangs_programs_on_libiomp5: Clang, "libiomp5";
    gccs_programs_on_libiomp5: Gcc, "libiomp5";
}
