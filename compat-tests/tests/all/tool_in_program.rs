//! A program that is its own tool of OpenMP 5, with an initializer of the same name as TR2's.

use std::path::PathBuf;

use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::{self, clang_is_here};
use compat_tests::run::{Launch, Outcome};

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// Builds the program by gcc and then by clang, each with its tool's functions exported or not.
fn programs(forge: &Forge, test: &str) -> Vec<PathBuf> {
    let mut compilers = vec![Language::C11];
    if clang_is_here(test) {
        compilers.push(Language::ClangC11);
    }
    let made = compilers.into_iter().flat_map(|compiler| {
        [("-rdynamic", "-exported"), ("-g", "-hidden")].map(|(flag, suffix)| {
            // LLVM's folder may contain its own libgomp.so.
            let places = if compiler == Language::ClangC11 { &llvm::flags()[..] } else { &[] };
            let flags = [&["-O2", "-fopenmp", flag][..], places].concat();
            forge.build(compiler, &["programs/own_tool.c"], &flags, &format!("-{compiler:?}{suffix}"))
        })
    });
    made.collect()
}

fn is_well(outcome: &Outcome) {
    assert_eq!(outcome.text(), "", "{}", outcome.describe());
}

#[test]
fn it_is_called_at_the_first_use_and_not_taken_for_a_tool_of_tr2() {
    let forge = forge();
    for program in programs(&forge, "it_is_called_at_the_first_use_and_not_taken_for_a_tool_of_tr2") {
        is_well(&Launch::of(&forge, &program).with_ora().run().succeeded());
    }
}

#[test]
fn a_tool_of_tr2_behind_it_is_found() {
    let forge = forge();
    for program in programs(&forge, "a_tool_of_tr2_behind_it_is_found") {
        let outcome = Launch::of(&forge, &program).with_ora().with_tool(&forge.tool("tr2/every.cc")).run().succeeded();
        is_well(&outcome);
        assert_eq!(outcome.callback_counts("tr2").get(1), Some(&2), "{}", outcome.describe());
    }
}

/// LLVM's runtime shuts down together with its only tool, and can't be used any more.
#[test]
fn it_hears_nothing_after_its_own_end() {
    let forge = forge();
    let programs = programs(&forge, "it_hears_nothing_after_its_own_end");
    for (place, program) in programs.iter().enumerate() {
        let launch = || Launch::of(&forge, program).arg("finalize").with_ora();
        is_well(&launch().run().succeeded());
        let beside = launch().arg("and-on").with_tool(&forge.tool("tr2/every.cc")).run().succeeded();
        is_well(&beside);
        assert_eq!(beside.callback_counts("tr2").get(1), Some(&3), "{}", beside.describe());
        if place < 2 {
            is_well(&launch().arg("and-on").run().succeeded());
        }
    }
}
