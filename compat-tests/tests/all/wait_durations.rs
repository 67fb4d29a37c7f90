//! Durations of waits for mutexes that are taken again immediately: the events agree with the threads' own clocks.

use compat_tests::forge::Forge;
use compat_tests::stacks::{Compiler, INSTALLED, Stack};
use compat_tests::suite::{chosen, whole_matrix};

/// Ticks for which a mutex is held, and ticks between two turns of a thread; then the least length of an event, in hundredths of the
/// thread's own time. The report itself takes part of the shortest waits, and more of it now and then. So most turns count, not their sum;
/// and among them only those soon after another wait, as the code of a report leaves the caches after many turns without one.
const RHYTHMS: [(&str, &str, &str); 3] = [("4000", "0", "70"), ("200", "0", "30"), ("20000", "2000", "85")];

/// Least share of the certain waits in turns that have an event at all.
const NOTICED: f64 = 0.9;

/// Least share of the turns soon after another wait whose events are that long.
const MIN_SHARE: f64 = 0.6;

/// Sum of certain waits, in ticks, in which a single wait that the system disturbed has little weight.
const MIN_WAITS: f64 = 400_000.0;

/// Number of turns whose share is judged, and of waits during which the system stopped a thread, which have to agree one by one.
const MIN_TURNS: f64 = 30.0;

/// Maximum number of runs of a program: each takes ten seconds at most. On an idle machine the first one has enough waits. Beside other
/// programs many are not enough, so the gate judges what one run has, of one kind of mutex and the steadiest rhythm.
const RUNS: usize = 20;

/// Runs `programs/own_clocks.c`, which compares the two within one run, turn by turn.
fn agrees(compiler: Compiler, runtime: &'static str, kinds: &[&str]) {
    let Some(stack) = Stack::find((compiler, runtime), "agrees") else { return };
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = stack.program(&forge, "own_clocks.c").expect("both compilers can make it");
    for kind in chosen(kinds, usize::from(compiler == Compiler::Gcc)) {
        for (held, between, least) in chosen(&RHYTHMS, 0) {
            let (mut sums, mut last) = ([0.0; 8], String::new());
            let has_enough = (0..if whole_matrix() { RUNS } else { 1 }).any(|_| {
                // Threads are bound, as a busy system often lets two threads take turns on one processor, where neither waits for the
                // other.
                let bound = [("OMP_WAIT_POLICY", "active"), ("OMP_PROC_BIND", "true"), ("OMP_PLACES", "threads")];
                let launch =
                    bound.iter().fold(stack.launch(&forge, &program), |launch, (name, value)| launch.env(name, value));
                let outcome = launch.arg(kind).arg(held).arg(between).arg(least).with_ora().run().succeeded();
                for (sum, word) in sums.iter_mut().zip(outcome.text().split_whitespace()) {
                    *sum += word.parse::<f64>().expect("a number");
                }
                last = outcome.describe();
                (sums[7] >= MIN_WAITS && sums[3] >= MIN_TURNS) || sums[5] >= MIN_TURNS
            });
            let [own, reported, noticed, turns, near, stopped, agreeing, due] = sums;
            let is_near = turns < MIN_TURNS || near > turns * MIN_SHARE;
            let agrees = (due < MIN_WAITS || (noticed >= due * NOTICED && is_near && reported <= own * 1.15))
                && (stopped < MIN_TURNS || agreeing > stopped * 0.8);
            assert!(
                (has_enough || !whole_matrix()) && agrees,
                "{stack} {kind} {held} {between}: {sums:?}, lastly {last}"
            );
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
#[ignore = "slow: --all runs it"]
fn waits_for_libgomps_mutexes_are_as_long_as_by_the_threads_own_clocks() {
    agrees(Compiler::Gcc, "libgomp", &["unnamed", "named", "atomic", "lock", "nest"]);
}
