//! Tools of TR2 on runtimes with OMPT: the events are those of the program's text, except for the gaps in `tables/ompt-host-tr2.txt`.

use compat_tests::conformance::of_tool;
use compat_tests::forge::{Forge, Language, fortran_is_here};
use compat_tests::known_gaps::Gaps;
use compat_tests::llvm::{self, clang_is_here};
use compat_tests::run::Launch;
use compat_tests::stacks::{Compiler, INSTALLED, Stack};
use compat_tests::suite::{PROGRAMS, Program, thread_counts};
use compat_tests::tr2::verdict::{tool, trace};

fn conforms(compiler: Compiler, runtime: &'static str) {
    let Some(stack) = Stack::find((compiler, runtime), "conforms") else { return };
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let mut gaps = Gaps::read("ompt-host-tr2.txt", &stack.to_string());
    let here = |program: &&Program| !program.is_fortran() || fortran_is_here(program.source);
    for (turn, program) in PROGRAMS.iter().filter(here).enumerate() {
        for threads in thread_counts(turn) {
            let (differences, command) = stack.differences(&forge, program, *threads, &tool(&forge), |outcome| {
                of_tool(&trace(outcome), program, *threads)
            });
            gaps.take(program.source, &differences, &command);
        }
    }
    let wrong = gaps.verdict();
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// A runtime's call at the end of an outlined function may be a tail call, which returns to the runtime's own code.
#[test]
fn no_function_is_one_of_the_runtimes_own() {
    if !clang_is_here("no_function_is_one_of_the_runtimes_own") {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let flags = [&["-O2", "-fopenmp", "-rdynamic"][..], &llvm::flags()].concat();
    let program = forge.build(Language::ClangC11, &["tr2/functions.c"], &flags, "-clang");
    let outcome = Launch::of(&forge, &program).with_ora().awake().run().succeeded();
    assert_eq!(outcome.text(), "", "{}", outcome.describe());
}

#[test]
fn a_forked_child_that_uses_its_runtime_asks_the_tool_anew() {
    if !clang_is_here("a_forked_child_that_uses_its_runtime_asks_the_tool_anew") {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let flags = [&["-O2", "-fopenmp"][..], &llvm::flags()].concat();
    let program = forge.build(Language::ClangC11, &["tr2/forks.c"], &flags, "-clang");
    let run = |of_child: &str| {
        let launch = Launch::of(&forge, &program).arg("region").arg(of_child).awake().with_ora();
        launch.with_collector(&tool(&forge)).run().succeeded()
    };
    let outcome = run("region");
    let pid = outcome.text().trim().parse().unwrap();
    let child = compat_tests::tr2::trace::Tr2Trace::parse(&outcome.trace_of(pid).unwrap()).unwrap();
    assert_eq!((child.calls, child.count("parallel_begin"), child.count("thread_begin")), (2, 1, 1));
    assert_eq!(trace(&outcome).count("parallel_begin"), 2, "{}", outcome.describe());
    let unused = run("nothing");
    assert!(unused.trace_of(unused.text().trim().parse().unwrap()).is_none(), "{}", unused.describe());
}

/// A worker sees the end of its last barrier when it gets its next region, and by then another worker may have its place in the team.
#[test]
fn a_worker_with_another_place_in_its_next_team_leaves_its_own_task() {
    if !clang_is_here("a_worker_with_another_place_in_its_next_team_leaves_its_own_task") {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let flags = [&["-O2", "-fopenmp", "-rdynamic", "-pthread"][..], &llvm::flags()].concat();
    let program = forge.build(Language::ClangC11, &["tr2/regrouped.c"], &flags, "-clang");
    let outcome = Launch::of(&forge, &program).with_ora().awake().run().succeeded();
    assert_eq!(outcome.text(), "", "{}", outcome.describe());
}

/// In gcc's code the runtime clears the exit frame of a team's task when another thread already has the team. So some TR2 records have no
/// frame there (`tables/ompt-host-tr2.txt`). Without the library, a tool of OpenMP 5 sees the same.
#[test]
fn llvms_runtime_clears_the_frame_of_a_task_that_another_thread_has() {
    let Some(stack) = Stack::find((Compiler::Gcc, INSTALLED), "clears_the_frame") else { return };
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = forge.build(Language::C11, &["tools5/given_back.c"], &["-O2", "-fopenmp", "-rdynamic"], "-gcc");
    let outcome = stack.launch(&forge, &program).run().succeeded();
    assert_eq!(outcome.text(), "1 0\n", "{}", outcome.describe());
}

macro_rules! programs_are_told_as_their_text_says {
    ($($name:ident: $compiler:ident, $runtime:expr;)*) => {
        $(#[test]
        #[ignore = "slow: --all runs it"]
        fn $name() {
            conforms(Compiler::$compiler, $runtime);
        })*
    };
}

programs_are_told_as_their_text_says! {
    clangs_programs_on_libomp: Clang, INSTALLED;
    gccs_programs_on_libomp: Gcc, INSTALLED;
    clangs_programs_on_libomp_16: Clang, "libomp-16";
    gccs_programs_on_libomp_16: Gcc, "libomp-16";
    clangs_programs_on_libomp_14: Clang, "libomp-14";
    gccs_programs_on_libomp_14: Gcc, "libomp-14";
    clangs_programs_on_libiomp5: Clang, "libiomp5";
    gccs_programs_on_libiomp5: Gcc, "libiomp5";
}
