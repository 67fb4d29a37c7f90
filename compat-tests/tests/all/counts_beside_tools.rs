//! Collectors next to OMPT tools: a collector gets every event that it gets alone, although the library takes other code paths for the
//! tools.

use compat_tests::forge::{Forge, fortran_is_here};
use compat_tests::suite::{HABITS, PROGRAMS, chosen};
use compat_tests::verdict::{judge, launch};

/// Runs all programs with a collector and these tools.
fn all_beside(tools: &[&str]) {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let libraries: Vec<_> = tools.iter().map(|tool| forge.tool(tool)).collect();
    for (case, program) in PROGRAMS.iter().enumerate() {
        if program.is_fortran() && !fortran_is_here(program.source) {
            continue;
        }
        for habit in chosen(&HABITS, case) {
            for threads in chosen(&[1, 4, 2], case) {
                let launch = launch(&forge, program, threads, &forge.collector(habit));
                let launch = libraries.iter().fold(launch, |launch, library| launch.with_tool(library));
                judge(program, threads, false, launch.run());
            }
        }
    }
}

#[test]
fn a_tool_of_openmp_5_takes_no_event_from_a_collector() {
    all_beside(&["tools5/every.cc"]);
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_tool_of_tr2_takes_no_event_from_a_collector() {
    all_beside(&["tr2/every.cc"]);
}

#[test]
#[ignore = "slow: --all runs it"]
fn two_tools_take_no_event_from_a_collector() {
    all_beside(&["tools5/every.cc", "tr2/every.cc"]);
}
