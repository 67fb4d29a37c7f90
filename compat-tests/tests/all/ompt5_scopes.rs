//! Scopes for a tool of OpenMP 5. gcc's code calls libgomp at the start of a scope only if the scope has task reductions; the scope ends
//! where the next barrier starts.

use compat_tests::forge::Forge;
use compat_tests::ompt5::{ToolTrace, named, tool};
use compat_tests::run::Launch;

/// Reports of work regions of a program on two threads: kind, and begin or end.
fn work_of(program: &str) -> Vec<String> {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let launch = Launch::of(&forge, &forge.program(program)).threads(2).with_trace();
    let outcome = named(launch.with_ora(), &tool(&forge)).run().succeeded();
    let words = |line: &str| line.split(' ').skip(1).take(2).collect::<Vec<_>>().join(" ");
    ToolTrace::of(&outcome).only(&["work"]).into_iter().map(words).collect()
}

#[test]
fn a_scope_with_task_reductions_is_reported_by_each_thread() {
    let work = work_of("task_reductions.c");
    let count = |of: &str| work.iter().filter(|line| *line == of).count();
    assert_eq!((count("scope begin"), count("scope end")), (2, 2), "{work:?}");
}

#[test]
fn a_scope_without_task_reductions_makes_no_call() {
    assert_eq!(work_of("barriers.c"), Vec::<String>::new());
}
