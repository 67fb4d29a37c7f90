//! Tools of TR2 on whole programs: the events are those of the program's text, and every trace satisfies the rules.

use compat_tests::forge::{Forge, fortran_is_here};
use compat_tests::small::small_programs;
use compat_tests::suite::{PROGRAMS, Program, THREADS, is_short, programs};
use compat_tests::tr2::numbers::event;
use compat_tests::tr2::rules::violations;
use compat_tests::tr2::trace::Tr2Trace;
use compat_tests::tr2::verdict::{judge, launch, tool, trace};

fn run(program: &Program, threads: u32) {
    if program.is_fortran() && !fortran_is_here(program.source) {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    judge(program, threads, launch(&forge, program, threads).run());
    if threads == 2 {
        let late = launch(&forge, program, threads).env("ORA_IBAR", "late");
        judge(program, threads, late.run());
    }
}

/// Runs each program at each number of threads, in parts that can run in parallel.
fn run_part(part: usize) {
    for program in PROGRAMS.iter().skip(part).step_by(4) {
        THREADS.iter().for_each(|threads| run(program, *threads));
    }
}

#[test]
fn programs_are_told_as_their_text_says_1() {
    run_part(0);
}

#[test]
#[ignore = "slow: --all runs it"]
fn programs_are_told_as_their_text_says_2() {
    run_part(1);
}

#[test]
#[ignore = "slow: --all runs it"]
fn programs_are_told_as_their_text_says_3() {
    run_part(2);
}

#[test]
#[ignore = "slow: --all runs it"]
fn programs_are_told_as_their_text_says_4() {
    run_part(3);
}

/// True if an event has no partner: a trace doesn't reveal that it is missing.
fn is_alone(name: &str) -> bool {
    ["wait_lock", "wait_nest_lock", "wait_critical", "wait_ordered", "wait_atomic", "thread_end"].contains(&name)
        || name.starts_with("init_")
        || name.starts_with("destroy_")
}

#[test]
#[ignore = "slow: --all runs it"]
fn whatever_is_missing_or_changed_in_a_trace_breaks_a_rule() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    for source in ["single.c", "sections.c", "locks.c", "ordered.c", "nested.c", "task_reductions.c"] {
        let outcome = launch(&forge, &programs(source)[0], 2).run().succeeded();
        let good = trace(&outcome);
        assert_eq!(violations(&good, false), Vec::<String>::new(), "{source}");
        let step = good.records.len() / 40 + 1;
        for (at, record) in good.records.iter().copied().enumerate() {
            // Removes a sample of all records, and each lock's initialization and destruction.
            let of_a_life = record.name().starts_with("init_") || record.name().starts_with("destroy_");
            if !at.is_multiple_of(step) && !of_a_life {
                continue;
            }
            let breaks = |what: &str, change: &dyn Fn(&mut Tr2Trace)| {
                let mut changed = good.clone();
                change(&mut changed);
                assert_ne!(violations(&changed, false), Vec::<String>::new(), "{source}: {what}: {record:?}");
            };
            if !is_alone(record.name()) {
                breaks("missing", &|trace| _ = trace.records.remove(at));
            }
            breaks("another thread", &|trace| trace.records[at].thread += 1000);
            if record.event == event("runtime_shutdown") {
                continue;
            }
            let first = usize::from(record.name().starts_with("thread_"));
            if !record.name().starts_with("wait_") || record.name().len() > "wait_nest_lock".len() {
                breaks("another argument", &|trace| trace.records[at].arguments[first] += 1_000_000);
            }
            if !record.name().starts_with("thread_") && !record.name().starts_with("idle_end") {
                breaks("another task", &|trace| trace.records[at].tasks[0] += 1_000_000);
            }
        }
    }
}

/// Checks that small programs print the same with the tool, and that their traces satisfy the rules: all of them over two turns in the
/// short gate.
fn small(threads: u32, turn: usize) {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let step = if is_short() { 2 } else { 1 };
    for small in small_programs().into_iter().skip(turn % step).step_by(step) {
        if small.is_fortran() && !fortran_is_here(&small.source) {
            continue;
        }
        let program = forge.program(&small.source);
        let bare = small.launch(&forge, &program, threads).run();
        let observed = small.launch(&forge, &program, threads).with_ora().with_collector(&tool(&forge)).run();
        assert!(small.ended_well(observed.status) && observed.text() == bare.text(), "{}", observed.describe());
        if observed.status.success() && observed.trace_of(observed.pid).is_some() {
            let wrong = violations(&trace(&observed), small.source.contains("cancel"));
            assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), observed.describe());
        }
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_keep_the_rules_on_two_threads() {
    small(2, 0);
}

#[test]
#[ignore = "slow: --all runs it"]
fn small_programs_keep_the_rules_on_four_threads() {
    small(4, 1);
}
