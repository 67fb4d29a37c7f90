//! Collectors on whole programs: the events are those of the program's text, and every trace keeps the rules.

use compat_tests::forge::{Forge, fortran_is_here};
use compat_tests::suite::{HABITS, PROGRAMS, THREADS, chosen, programs};
use compat_tests::verdict::{judge, launch};

/// Runs one file's programs at every thread count with a collector of each kind in turn, also with workers reported late, and with two
/// spinning threads.
fn run_all(source: &str) {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    for (variant, program) in programs(source).iter().enumerate() {
        if program.is_fortran() && !fortran_is_here(source) {
            return;
        }
        let turn = variant + source.len();
        for (case, threads) in THREADS.into_iter().enumerate() {
            for habit in chosen(&HABITS, case + turn) {
                judge(program, threads, false, launch(&forge, program, threads, &forge.collector(habit)).run());
            }
            for habit in chosen(&HABITS, case + turn + 1) {
                let late = launch(&forge, program, threads, &forge.collector(habit)).env("ORA_IBAR", "late");
                judge(program, threads, true, late.run());
            }
        }
        for habit in chosen(&HABITS, turn + 2) {
            let spinning = launch(&forge, program, 2, &forge.collector(habit)).env("OMP_WAIT_POLICY", "active");
            judge(program, 2, false, spinning.run());
        }
    }
}

macro_rules! the_events_of {
    ($($name:ident: $source:literal,)*) => {
        $(#[test]
        fn $name() {
            run_all($source);
        })*

        #[test]
        fn every_program_is_run() {
            let run = [$($source),*];
            assert!(PROGRAMS.iter().all(|p| run.contains(&p.source)));
        }
    };
}

the_events_of! {
    regions_raise_what_their_text_says: "parallel.c",
    growing_and_shrinking_teams_raise_what_their_text_says: "teams_of_all_sizes.c",
    regions_of_old_gcc_raise_what_their_text_says: "parallel_start.c",
    combined_constructs_raise_what_their_text_says: "combined.c",
    combined_calls_raise_what_their_text_says: "combined_calls.c",
    loops_raise_what_their_text_says: "loops.c",
    static_entries_raise_what_their_text_says: "static_entries.c",
    sections_raise_what_their_text_says: "sections.c",
    singles_raise_what_their_text_says: "single.c",
    explicit_barriers_raise_what_their_text_says: "barriers.c",
    critical_sections_raise_what_their_text_says: "critical.c",
    ordered_loops_raise_what_their_text_says: "ordered.c",
    doacross_loops_keep_the_rules: "doacross.c",
    atomic_updates_raise_what_their_text_says: "atomic.c",
    locks_raise_what_their_text_says: "locks.c",
    task_reductions_raise_what_their_text_says: "task_reductions.c",
    tasks_raise_what_is_in_and_around_them: "tasks.c",
    untied_tasks_raise_what_their_text_says: "untied.c",
    cancelled_constructs_raise_what_their_text_says: "cancel.c",
    nested_teams_raise_what_their_text_says: "nested.c",
    user_threads_raise_what_their_text_says: "user_threads.c",
    dynamic_teams_raise_what_their_text_says: "dynamic_teams.c",
    orphaned_constructs_keep_the_rules: "orphaned.c",
    teams_and_target_regions_keep_the_rules: "hosted.c",
    calls_through_pointers_raise_what_their_text_says: "function_pointers.c",
    many_threads_raise_what_their_text_says: "many_threads.c",
    deep_regions_raise_what_their_text_says: "deep.c",
    a_little_of_everything_keeps_the_rules: "churn.c",
    cxx_programs_raise_what_their_text_says: "objects.cc",
    fortran_programs_raise_what_their_text_says: "constructs.f90",
}
