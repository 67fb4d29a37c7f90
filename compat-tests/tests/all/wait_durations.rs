//! Durations of waits for mutexes that are taken again at once: those of the events are those by the threads' own clocks.

use compat_tests::forge::Forge;
use compat_tests::stacks::{Compiler, INSTALLED, Stack};
use compat_tests::suite::every_other;

/// Ticks that a mutex is held, and that lie between two turns of a thread; the least share of the threads' own times in the
/// events' times. Of the shortest waits some part is the report itself.
const RHYTHMS: [(&str, &str, f64); 3] = [("2000", "0", 0.7), ("200", "0", 0.3), ("20000", "2000", 0.85)];

/// Sum of waits, in ticks, of which a single one that the system has disturbed is a small part.
const ENOUGH: f64 = 400_000.0;

/// Number of waits in which the system has stopped a thread, which have to agree one by one.
const MANY: f64 = 30.0;

/// Runs of a program: each takes ten seconds at most, and on an idle machine the first one counts.
const RUNS: usize = 20;

/// Runs `programs/own_clocks.c`, which compares the two within one run, turn by turn.
fn agrees(compiler: Compiler, runtime: &'static str, kinds: &[&str]) {
    let Some(stack) = Stack::find((compiler, runtime), "agrees") else { return };
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = stack.program(&forge, "own_clocks.c").expect("both compilers can make it");
    for (turn, kind) in kinds.iter().enumerate() {
        for (held, between, least) in every_other(&RHYTHMS, turn + usize::from(compiler == Compiler::Gcc)) {
            // A busy machine seldom runs the threads at once, stops one of them in most of the waits that there are, and slows down
            // what lies between the program's clock and the event. So sums count that agree; those of wrong durations never do.
            let (mut sums, mut last) = ([0.0; 4], String::new());
            let agreed = (0..RUNS).any(|_| {
                let launch = stack.launch(&forge, &program).env("OMP_WAIT_POLICY", "active");
                let outcome = launch.arg(kind).arg(held).arg(between).with_ora().run().succeeded();
                for (sum, word) in sums.iter_mut().zip(outcome.text().split_whitespace()) {
                    *sum += word.parse::<f64>().expect("a number");
                }
                last = format!("{sums:?}, lastly {}", outcome.describe());
                let [own, reported, stopped, agreeing] = sums;
                if own < ENOUGH && stopped < MANY {
                    return false;
                }
                sums = [0.0; 4];
                (own < ENOUGH || (own * least..=own * 1.15).contains(&reported))
                    && (stopped < MANY || agreeing > stopped * 0.8)
            });
            assert!(agreed, "{stack} {kind} {held} {between}: {last}");
        }
    }
}

/// Intel's runtime is part of the whole matrix.
const OTHERS: [&str; 2] = [INSTALLED, "libiomp5"];

#[test]
fn clangs_waits_on_llvms_runtimes_are_as_long_as_by_the_threads_own_clocks() {
    // In the short gate gcc's programs show the other kinds.
    let kinds = every_other(&["unnamed", "named", "lock", "nest"], 0);
    OTHERS.iter().for_each(|runtime| agrees(Compiler::Clang, runtime, &kinds));
}

#[test]
fn gccs_waits_on_llvms_runtimes_are_as_long_as_by_the_threads_own_clocks() {
    OTHERS.iter().for_each(|runtime| agrees(Compiler::Gcc, runtime, &["unnamed", "named", "atomic", "lock", "nest"]));
}

#[test]
fn waits_for_libgomps_mutexes_are_as_long_as_by_the_threads_own_clocks() {
    agrees(Compiler::Gcc, "libgomp", &["unnamed", "named", "atomic", "lock", "nest"]);
}
