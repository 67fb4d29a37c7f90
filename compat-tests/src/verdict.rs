//! Runs of a program under a tracing collector, and the check of its trace.

use std::path::Path;

use crate::expect::Expected;
use crate::forge::Forge;
use crate::invariants::{self, Circumstances};
use crate::run::{Launch, Outcome};
use crate::suite::Program;
use crate::{barriers, samples, tasks};

/// Launches a program with the library and a collector, and the program's own variables.
pub fn launch(forge: &Forge, program: &Program, threads: u32, collector: &Path) -> Launch {
    let launch = Launch::of(forge, &forge.program(program.source)).threads(threads).with_ora();
    program.env.iter().fold(launch, |l, (n, v)| l.env(n, v)).with_collector(collector)
}

/// Checks a trace against the program's text and against the rules for every trace.
///
/// # Panics
/// With all violations, and the command.
pub fn judge(program: &Program, threads: u32, late: bool, outcome: Outcome) {
    let outcome = outcome.succeeded();
    let trace = outcome.trace();
    let late = late || program.is_late();
    let mut wrong = invariants::violations(&trace, Circumstances { late, ..Circumstances::default() });
    wrong.extend(tasks::violations(&trace, program.is_late()));
    if let Some(expected) = Expected::of_program(program.source, threads) {
        wrong.extend(expected.differences(&trace));
    }
    if program.regular {
        wrong.extend(barriers::violations(&trace));
    }
    wrong.extend(samples::violations(&trace));
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
}
