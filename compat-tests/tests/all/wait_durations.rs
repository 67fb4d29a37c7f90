//! Durations of waits for mutexes that are taken again at once: those of the events are those by the threads' own clocks.

use compat_tests::forge::Forge;
use compat_tests::stacks::{Compiler, INSTALLED, Stack};

/// Ticks that a mutex is held, and that lie between two turns of a thread; the least share of the threads' own times in the
/// events' times. Of the shortest waits some part is the report itself.
const RHYTHMS: [(&str, &str, f64); 3] = [("2000", "0", 0.7), ("200", "0", 0.3), ("20000", "2000", 0.85)];

/// Sum of waits, in ticks, of which a single one that the system has disturbed is a small part.
const ENOUGH: f64 = 400_000.0;

/// Runs `programs/own_clocks.c`, which compares the two within one run, turn by turn.
fn agrees(compiler: Compiler, runtime: &'static str, kinds: &[&str]) {
    let Some(stack) = Stack::find((compiler, runtime), "agrees") else { return };
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = stack.program(&forge, "own_clocks.c").expect("both compilers can make it");
    for kind in kinds {
        for (held, between, least) in RHYTHMS {
            // A busy machine may run the threads one after the other: then a run has few waits, or none.
            let (mut own, mut reported, mut last) = (0.0, 0.0, None);
            for _ in 0..20 {
                let launch = stack.launch(&forge, &program).env("OMP_WAIT_POLICY", "active");
                let outcome = launch.arg(kind).arg(held).arg(between).with_ora().run().succeeded();
                let sums = outcome.text();
                let (own_sum, reported_sum) = sums.trim().split_once(' ').expect("two sums");
                own += own_sum.parse::<f64>().expect("a sum");
                reported += reported_sum.parse::<f64>().expect("a sum");
                last = Some(outcome);
                if own >= ENOUGH {
                    break;
                }
            }
            assert!(own > 0.0, "the threads never meet at the mutex");
            let outcome = last.expect("a run");
            let agree = (own * least..=own * 1.15).contains(&reported);
            assert!(agree, "{stack} {kind} {held} {between}: {own} {reported}, lastly {}", outcome.describe());
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
