//! Adverse conditions: no memory, callbacks that throw, sessions under many signals.

use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::{self, clang_is_here};
use compat_tests::numbers::{ec, event, state};
use compat_tests::run::Launch;
use compat_tests::session_rules;

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_program_goes_on_when_the_library_gets_no_memory() {
    let forge = forge();
    let flags = ["-O2", "-shared", "-fPIC"];
    let starve = forge.build(Language::C99, &["collectors/starve.c"], &flags, ".so");
    for source in ["churn.c", "nested.c", "many_threads.c"] {
        let program = forge.program(source);
        let bare = Launch::of(&forge, &program).threads(4).run().succeeded();
        let mut events = Vec::new();
        for after in [0, 1, 2, 3, 5, 8, 1000] {
            let launch = Launch::of(&forge, &program).threads(4).with_ora().with_preload(&starve);
            let launch = launch.with_collector(&forge.collector("packed.c")).env("STARVE_AFTER", &after.to_string());
            let outcome = launch.run().succeeded();
            assert_eq!(outcome.stdout, bare.stdout, "{}", outcome.describe());
            let trace = outcome.trace();
            let wrong = session_rules::violations(&trace);
            assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
            events.push(trace.events().count());
        }
        // Without memory fewer events are reported; with enough memory, all of them.
        assert!(events.first() < events.last(), "nothing was refused: {events:?}");
    }
}

/// Even a message of the dynamic linker would take memory, and a preloaded allocator may not be ready.
#[test]
fn the_constructor_allocates_nothing() {
    let forge = forge();
    let unready = forge.build(Language::C11, &["collectors/unready_malloc.c"], &["-O2", "-shared", "-fPIC"], ".so");
    let (five, tr2) = (forge.tool("tools5/every.cc"), forge.tool("tr2/every.cc"));
    let inside = ["programs/ompt5.c", "tools5/trace.c"];
    let hidden = forge.build(Language::C11, &inside, &["-O2", "-g", "-fopenmp"], "-hidden");
    let exported = forge.build(Language::C11, &inside, &["-O2", "-g", "-fopenmp", "-rdynamic"], "-exported");
    let mut programs = vec![forge.program("parallel.c"), forge.plain_program("no_openmp.c"), hidden, exported];
    if clang_is_here("the_constructor_allocates_nothing") {
        let flags = [&["-O2", "-g", "-fopenmp"][..], &llvm::flags()].concat();
        programs.push(forge.build(Language::ClangC11, &["programs/parallel.c"], &flags, "-clang"));
        programs.push(forge.build(
            Language::ClangC11,
            &inside,
            &[&flags[..], &["-rdynamic"]].concat(),
            "-clang-inside",
        ));
    }
    for program in &programs {
        let launch = || Launch::of(&forge, program).arg("region").threads(2).with_trace();
        let watched = || launch().with_ora().with_preload(&unready);
        let bare = launch().run();
        for launch in [
            watched(),
            watched().with_tool(&tr2),
            launch().with_tool(&five).with_ora().with_preload(&unready),
            watched().with_tool(&five).env("OMP_TOOL_LIBRARIES", "/no/such.so"),
            watched().env("ORA_DISABLE", "1"),
        ] {
            let outcome = launch.run();
            assert_eq!(outcome.status, bare.status, "{}", outcome.describe());
        }
    }
}

#[test]
fn a_callback_may_throw_through_the_librarys_frames() {
    let forge = forge();
    let outcome = Launch::of(&forge, &forge.program("thrown_callbacks.cc")).with_ora().run().succeeded();
    assert_eq!(outcome.text(), "", "{}", outcome.describe());
}

#[test]
#[ignore = "slow: --all runs it"]
fn queries_that_race_with_sessions_answer_or_say_that_there_is_none() {
    let forge = forge();
    let (mut answered, mut refused) = (0, 0);
    // The number of samples in a run depends on the machine.
    for _ in 0..20 {
        let (more_answered, more_refused) = queries_that_race(&forge);
        (answered, refused) = (answered + more_answered, refused + more_refused);
        if answered > 100 && refused > 10 {
            return;
        }
    }
    panic!("{answered} answers, {refused} refusals");
}

/// Runs it once; returns the number of samples that were answered, and of those that found no session.
fn queries_that_race(forge: &Forge) -> (u32, u32) {
    let launch = Launch::of(forge, &forge.program("churn.c")).threads(4).arg("1500").with_ora();
    let outcome = launch.with_collector(&forge.collector("storm.c")).env("TRACE_SAMPLE", "each").run().succeeded();
    let trace = outcome.trace();
    let (mut answered, mut refused) = (0, 0);
    for sample in trace.samples() {
        let codes = [sample.state_ec, sample.prid_ec, sample.parent_ec];
        assert!(codes.iter().all(|c| matches!(*c, ec::OK | ec::SEQUENCE_ERR)), "{sample:?}: {}", outcome.describe());
        if codes != [ec::OK; 3] {
            refused += 1;
            continue;
        }
        answered += 1;
        let known = (state::OVHD..=state::TASK_FINISH).contains(&sample.state);
        let outside = matches!(sample.state, state::SERIAL | state::IDLE);
        let inside = matches!(sample.state, state::WORK | state::IBAR | state::EBAR | state::ODWT);
        let steady = sample.prid == sample.parent;
        let fits = !steady || (outside && sample.prid == 0) || (inside && sample.prid != 0) || !(outside || inside);
        assert!(known && fits, "{sample:?}: {}", outcome.describe());
    }
    assert!(trace.count(event::FORK) > 10, "{}", outcome.describe());
    (answered, refused)
}
