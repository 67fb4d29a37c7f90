//! Durations of waits for mutexes that are taken again at once: those of the events are those by the threads' own clocks.

use compat_tests::forge::Forge;
use compat_tests::run::Outcome;
use compat_tests::stacks::{Compiler, INSTALLED, Stack};

/// Ticks that a mutex is held, and that lie between two turns of a thread; the least share of the threads' own times in the
/// events' times. Of the shortest waits some part is the report itself.
const RHYTHMS: [(&str, &str, f64); 3] = [("2000", "0", 0.7), ("200", "0", 0.3), ("20000", "2000", 0.85)];

/// Runs `programs/own_clocks.c`, which compares the two within one run, turn by turn.
fn agrees(compiler: Compiler, runtime: &'static str, kinds: &[&str]) {
    let Some(stack) = Stack::find((compiler, runtime), "agrees") else { return };
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = stack.program(&forge, "own_clocks.c").expect("both compilers can make it");
    for kind in kinds {
        for (held, between, least) in RHYTHMS {
            let launch = || {
                let launch = stack.launch(&forge, &program).env("OMP_WAIT_POLICY", "active");
                launch.arg(kind).arg(held).arg(between).with_ora()
            };
            let sums = |outcome: &Outcome| {
                let text = outcome.text();
                let (own, reported) = text.trim().split_once(' ').expect("two sums");
                (own.parse::<f64>().expect("a sum"), reported.parse::<f64>().expect("a sum"))
            };
            // A busy machine may run the threads one after the other: then there are no waits.
            let runs = (0..20).map(|_| launch().run().succeeded());
            let met = runs.map(|outcome| (sums(&outcome), outcome)).find(|((own, _), _)| *own > 0.0);
            let ((own, reported), outcome) = met.expect("the threads never meet at the mutex");
            let agree = (own * least..=own * 1.15).contains(&reported);
            assert!(agree, "{stack} {kind} {held} {between}: {}", outcome.describe());
        }
    }
}

/// Intel's runtime is part of the whole matrix.
const OTHERS: [&str; 2] = [INSTALLED, "libiomp5"];

#[test]
fn clangs_waits_on_llvms_runtimes_are_as_long_as_by_the_threads_own_clocks() {
    OTHERS.iter().for_each(|runtime| agrees(Compiler::Clang, runtime, &["unnamed", "named", "lock", "nest"]));
}

#[test]
fn gccs_waits_on_llvms_runtimes_are_as_long_as_by_the_threads_own_clocks() {
    OTHERS.iter().for_each(|runtime| agrees(Compiler::Gcc, runtime, &["unnamed", "named", "atomic", "lock", "nest"]));
}

#[test]
fn waits_for_libgomps_mutexes_are_as_long_as_by_the_threads_own_clocks() {
    agrees(Compiler::Gcc, "libgomp", &["unnamed", "named", "atomic", "lock", "nest"]);
}
