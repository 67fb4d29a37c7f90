//! Queries in signal handlers, at any point of interruption: the answers are always possible ones.

use std::collections::BTreeMap;

use compat_tests::forge::{Forge, Language, fortran_is_here};
use compat_tests::numbers::state;
use compat_tests::samples;
use compat_tests::suite::{HABITS, PROGRAMS, chosen, programs};
use compat_tests::verdict::{judge, launch};

/// Runs every program, with signals of one kind.
fn sample(kind: &str, threads: &[u32], policy: &str) {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    for (case, program) in PROGRAMS.iter().enumerate() {
        if program.is_fortran() && !fortran_is_here(program.source) {
            continue;
        }
        for habit in chosen(&HABITS, case) {
            // The same sources, compiled as C++: collectors were written in both languages.
            let collector = forge.collector_in(Language::Cxx11, habit);
            for threads in threads {
                let sampled = launch(&forge, program, *threads, &collector);
                let sampled = sampled.env("TRACE_SAMPLE", kind).env("OMP_WAIT_POLICY", policy);
                judge(program, *threads, false, sampled.run());
            }
        }
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn every_thread_in_turn_answers_what_is_possible() {
    sample("each", &[2, 4], "passive");
}

#[test]
fn a_profiling_timer_on_spinning_threads_reads_what_is_possible() {
    sample("prof", &[2], "active");
}

/// Repeats a longer run until signals have hit every lasting state often enough: the number of samples in a run depends on the machine.
/// `events` is true if events are registered.
fn storm_of_signals(events: &str, late: &str) {
    const STATES: [i32; 6] = [state::WORK, state::SERIAL, state::IBAR, state::EBAR, state::IDLE, state::ODWT];
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = programs("churn.c").remove(0);
    let mut seen: BTreeMap<i32, usize> = BTreeMap::new();
    let are_enough = |seen: &BTreeMap<i32, usize>| {
        seen.values().sum::<usize>() > 1000 && STATES.iter().all(|state| seen.contains_key(state))
    };
    for (run, habit) in HABITS.into_iter().cycle().take(51).enumerate() {
        if run >= HABITS.len() && are_enough(&seen) {
            break;
        }
        let run = launch(&forge, &program, 4, &forge.collector(habit)).arg("800").env("TRACE_SAMPLE", "each");
        let outcome = run.env("TRACE_EVENTS", events).env("ORA_IBAR", late).run().succeeded();
        let trace = outcome.trace();
        let wrong = samples::violations(&trace);
        assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
        trace.samples().for_each(|s| *seen.entry(s.state).or_default() += 1);
    }
    assert!(are_enough(&seen), "hardly any samples, or a state was never sampled: {seen:?}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn thousands_of_signals_read_what_is_possible_with_events() {
    storm_of_signals("all", "early");
}

#[test]
#[ignore = "slow: --all runs it"]
fn thousands_of_signals_read_what_is_possible_with_late_events() {
    storm_of_signals("all", "late");
}

#[test]
#[ignore = "slow: --all runs it"]
fn thousands_of_signals_read_what_is_possible_without_events() {
    storm_of_signals("none", "early");
}
