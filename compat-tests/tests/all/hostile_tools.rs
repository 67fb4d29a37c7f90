//! Tools that break the rules for callbacks, and the effect on the program (docs/robustness.md).

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;

use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::{self, clang_is_here};
use compat_tests::run::{Launch, Outcome};

const SIGABRT: i32 = 6;

const COLLECTOR: u8 = 1;
const TR2: u8 = 2;
const OPENMP_5: u8 = 3;
const FACES: [u8; 3] = [COLLECTOR, TR2, OPENMP_5];

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

fn program(forge: &Forge, language: Language, face: u8) -> PathBuf {
    let face = format!("-DFACE={face}");
    let flags = ["-O2", "-g", "-fopenmp", "-pthread", "-rdynamic", &face];
    forge.build(language, &["programs/hostile.cc"], &flags, &format!("-{face}"))
}

/// Runs a tool's misbehaviour under every interface, on libgomp and on LLVM's runtime.
fn each(habit: &str, judge: impl Fn(u8, Language, &Outcome)) {
    let forge = forge();
    let mut compilers = vec![Language::Cxx17];
    if clang_is_here(habit) {
        compilers.push(Language::ClangCxx17);
    }
    for language in compilers {
        for face in FACES {
            let launch = Launch::of(&forge, &program(&forge, language, face)).arg(habit).with_ora();
            let launch = if language == Language::Cxx17 { launch } else { launch.awake() };
            judge(face, language, &launch.run());
        }
    }
}

fn ends_with(habit: &str, code: i32) {
    each(habit, |face, language, outcome| {
        assert_eq!(outcome.status.code(), Some(code), "{face} {language:?}: {}", outcome.describe());
        assert_eq!(outcome.text(), "", "{face} {language:?}: {}", outcome.describe());
    });
}

fn aborts(outcome: &Outcome) {
    assert_eq!(outcome.status.signal(), Some(SIGABRT), "{}", outcome.describe());
}

#[test]
fn a_callback_that_exits_ends_the_program_with_its_code() {
    ends_with("exit", 7);
    ends_with("_exit", 8);
}

#[test]
fn a_callback_of_a_worker_that_exits_ends_the_program_with_its_code() {
    ends_with("exit-by-worker", 9);
}

#[test]
fn a_callback_that_aborts_ends_the_program_by_its_signal() {
    each("abort", |_, _, outcome| aborts(outcome));
}

#[test]
fn an_exception_out_of_a_callback_that_nobody_catches_ends_the_program_as_any_does() {
    each("throw", |_, _, outcome| {
        aborts(outcome);
        assert!(outcome.describe().contains("terminate called after throwing"), "{}", outcome.describe());
    });
}

/// No exception passes through LLVM's runtime, with or without us.
#[test]
fn an_exception_out_of_a_callback_is_caught_by_the_program_behind_the_runtime() {
    each("throw-caught", |face, language, outcome| {
        if language == Language::ClangCxx17 {
            aborts(outcome);
        } else {
            assert!(outcome.status.success(), "{face}: {}", outcome.describe());
            assert_eq!(outcome.text(), "", "{face}: {}", outcome.describe());
        }
    });
}

#[test]
fn a_callback_may_be_left_by_longjmp() {
    ends_with("longjmp", 0);
    ends_with("longjmp-wait", 0);
}

#[test]
fn a_callback_may_end_its_thread() {
    ends_with("pthread-exit", 0);
}

#[test]
fn a_callback_that_blocks_holds_up_no_other_thread() {
    ends_with("block", 0);
}

#[test]
fn a_callback_may_run_a_region_and_is_not_told_of_it() {
    ends_with("recurse", 0);
}

/// Builds the library that contains a tool; returns it, and a launch of the program that opens and closes it.
fn closing(forge: &Forge, flags: &[&str]) -> (PathBuf, Launch) {
    let flags = [&["-O2", "-g", "-shared", "-fPIC"], flags].concat();
    let tool = forge.build(Language::C11, &["tools5/closing.c"], &flags, ".so");
    let launch = Launch::of(forge, &forge.program("closes_tool.c")).threads(3).with_ora();
    let launch = launch.arg(&tool.to_string_lossy());
    (tool, launch)
}

#[test]
fn a_collectors_library_that_is_closed_while_it_is_attached_stays() {
    let forge = forge();
    for who in ["program", "tool"] {
        let outcome = closing(&forge, &["-DCOLLECTOR"]).1.arg(who).run().succeeded();
        assert_eq!(outcome.text(), "heard 1\nsum 66\n", "{}", outcome.describe());
    }
}

#[test]
fn a_tools_library_that_the_environment_names_and_that_closes_itself_stays() {
    let forge = forge();
    let (tool, launch) = closing(&forge, &[]);
    let outcome = launch.arg("tool").env("OMP_TOOL_LIBRARIES", &tool.to_string_lossy()).run().succeeded();
    assert_eq!(outcome.text(), "heard 1\nsum 66\n", "{}", outcome.describe());
}

/// The arguments are null, misaligned addresses, and numbers without a meaning; the result is the standards' answer, or a refusal.
#[test]
fn every_entry_point_stands_wild_arguments() {
    let forge = forge();
    for face in [TR2, OPENMP_5] {
        let define = format!("-DFACE={face}");
        let flags = ["-O2", "-g", "-fopenmp", "-pthread", "-rdynamic", &define];
        let program = forge.build(Language::C99, &["programs/wild_arguments.c"], &flags, &format!("-{face}"));
        let outcome = Launch::of(&forge, &program).with_ora().run();
        assert!(outcome.status.success(), "{face}: {}", outcome.describe());
        assert_eq!(outcome.text(), "", "{face}: {}", outcome.describe());
    }
}

/// LLVM's runtime alone would write through null pointers, beyond a tool's arrays and beyond the stack.
#[test]
fn every_entry_point_stands_wild_arguments_on_llvms_runtime() {
    if !clang_is_here("every_entry_point_stands_wild_arguments_on_llvms_runtime") {
        return;
    }
    let forge = forge();
    let flags = ["-O2", "-g", "-fopenmp", "-pthread", "-rdynamic", "-DFACE=3"];
    let flags: Vec<_> = flags.into_iter().chain(llvm::flags()).collect();
    let program = forge.build(Language::ClangC11, &["programs/wild_arguments.c"], &flags, "-llvm");
    for (name, places) in [("OMP_PLACES", "{0}"), ("KMP_AFFINITY", "disabled")] {
        let launch = || Launch::of(&forge, &program).awake().env(name, places).with_ora();
        for launch in [launch(), launch().with_collector(&forge.collector("packed.c"))] {
            let outcome = launch.run();
            assert!(outcome.status.success(), "{}", outcome.describe());
            assert_eq!(outcome.text(), "", "{}", outcome.describe());
        }
    }
}

/// LLVM's runtime alone shuts down, and the region doesn't continue.
#[test]
fn a_tool_that_ends_itself_in_a_region_gets_no_callback_afterwards() {
    let forge = forge();
    let source = ["programs/finalized_in_region.c"];
    let flags = ["-O2", "-fopenmp", "-rdynamic"];
    let mut programs = vec![forge.build(Language::C11, &source, &flags, "")];
    if clang_is_here("a_tool_that_ends_itself_in_a_region_gets_no_callback_afterwards") {
        let flags: Vec<_> = flags.into_iter().chain(llvm::flags()).collect();
        programs.push(forge.build(Language::ClangC11, &source, &flags, "-llvm"));
    }
    for program in programs {
        let launch = || Launch::of(&forge, &program).awake().with_ora();
        for launch in [launch(), launch().with_collector(&forge.collector("packed.c"))] {
            let outcome = launch.run().succeeded();
            assert_eq!(outcome.text(), "finalized 1, 0 callbacks afterwards\n", "{}", outcome.describe());
        }
    }
}
