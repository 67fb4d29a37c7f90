//! Transparency: programs do the same, byte for byte, under every kind of observation.

use std::time::Duration;

use compat_tests::forge::{Forge, fortran_is_here};
use compat_tests::numbers::{ec, event};
use compat_tests::run::Launch;
use compat_tests::session_rules;
use compat_tests::suite::{PROGRAMS, THREADS, every_other, programs};
use compat_tests::watch::{Watch, goes_unnoticed, is_unnoticed};

/// Runs every program of the suite with this number of threads, under the watches for its index in the list.
fn every_program(threads: u32, watches: impl Fn(usize) -> Vec<Watch>, policy: &str) {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    for (case, program) in PROGRAMS.iter().enumerate() {
        if program.is_fortran() && !fortran_is_here(program.source) {
            continue;
        }
        let path = forge.program(program.source);
        let bare = goes_unnoticed(&forge, &watches(case), || {
            let launch = Launch::of(&forge, &path).threads(threads).env("OMP_WAIT_POLICY", policy);
            program.env.iter().fold(launch, |l, (n, v)| l.env(n, v))
        });
        assert!(bare.status.success(), "the program is wrong without the library: {}", bare.describe());
    }
}

/// Runs every program with one of the thread counts, under half of the watches. Over all thread counts, each watch is used.
fn at(turn: usize) {
    every_program(THREADS[turn], |case| every_other(&Watch::ALL, case + turn), "passive");
}

#[test]
#[ignore = "slow: --all runs it"]
fn every_program_runs_as_without_the_library_on_one_thread() {
    at(0);
}

#[test]
fn every_program_runs_as_without_the_library_on_two_threads() {
    at(1);
}

#[test]
#[ignore = "slow: --all runs it"]
fn every_program_runs_as_without_the_library_on_two_threads_that_spin() {
    let watches = [Watch::LevelZero, Watch::Tracking, Watch::Armed, Watch::ArmedLate];
    every_program(THREADS[1], |case| every_other(&watches, case), "active");
}

#[test]
#[ignore = "slow: --all runs it"]
fn every_program_runs_as_without_the_library_on_four_threads() {
    at(2);
}

#[test]
#[ignore = "slow: --all runs it"]
fn every_program_runs_as_without_the_library_on_sixteen_threads() {
    at(3);
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_long_program_stands_a_thousand_sessions() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let path = forge.program(programs("churn.c")[0].source);
    for threads in [2, 4] {
        let launch = || Launch::of(&forge, &path).threads(threads).arg("1500").within(Duration::from_secs(120));
        let bare = launch().run().succeeded();
        let outcome = Watch::Storm.over(&forge, launch()).run().succeeded();
        is_unnoticed(Watch::Storm, &outcome, &bare);
        let trace = outcome.trace();
        let wrong = session_rules::violations(&trace);
        assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
        assert!(trace.count(event::FORK) > 100, "the storm heard next to nothing: {}", outcome.describe());
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_watches_do_watch() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let path = forge.program("churn.c");
    let collectors = Watch::ALL.into_iter().filter(|w| !matches!(w, Watch::LevelZero | Watch::Tool5 | Watch::ToolTr2));
    for watch in collectors {
        let outcome = watch.over(&forge, Launch::of(&forge, &path).threads(2).arg("200")).run().succeeded();
        let trace = outcome.trace();
        let start = if watch == Watch::Disabled { ec::UNSUPPORTED } else { ec::OK };
        assert_eq!(trace.answers.get(&0), Some(&start), "{watch:?}: START: {}", outcome.describe());
        let hears = !matches!(watch, Watch::Disabled | Watch::Tracking);
        assert_eq!(trace.events().count() > 100, hears, "{watch:?}: {}", outcome.describe());
        // If sessions change, only the middle one of each program gets events.
        if !watch.has_thread() {
            assert_eq!(trace.count(event::FORK), if hears { REGIONS } else { 0 }, "{watch:?}");
        }
    }
}

/// Number of regions of `churn.c 200`.
const REGIONS: usize = 200 + 20 * 2;

#[test]
fn the_tools_of_ompt_do_hear() {
    /// The tools, and their numbers of the event parallel_begin.
    const OF_REGIONS: [(&str, usize); 2] = [("v5", 3), ("tr2", 1)];
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let path = forge.program("churn.c");
    for watch in Watch::ALL {
        let outcome = watch.over(&forge, Launch::of(&forge, &path).threads(2).arg("200")).run().succeeded();
        for (tool, number) in OF_REGIONS {
            let (counts, stormy) = (outcome.callback_counts(tool), watch == Watch::StormTogether && tool == "v5");
            let there = match watch {
                Watch::Tool5 => tool == "v5",
                Watch::ToolTr2 => tool == "tr2",
                Watch::Together | Watch::StormTogether => true,
                _ => false,
            };
            assert_eq!(counts.first().copied().unwrap_or(0), u64::from(there), "{watch:?} {tool}: its start");
            let regions = usize::try_from(counts.get(number).copied().unwrap_or(0)).unwrap();
            let all = if there { REGIONS } else { 0 };
            assert!(regions == all || (stormy && (1..all).contains(&regions)), "{watch:?} {tool}: {regions} regions");
        }
    }
}

#[test]
fn small_stacks_suffice_as_without_the_library() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    for source in ["barriers.c", "critical.c", "loops.c", "single.c", "locks.c"] {
        let path = forge.program(source);
        let stack = |size: &'static str| {
            let path = path.clone();
            let forge = &forge;
            move || Launch::of(forge, &path).threads(4).env("OMP_STACKSIZE", size)
        };
        goes_unnoticed(&forge, &Watch::ALL, stack("32k"));
    }
}
