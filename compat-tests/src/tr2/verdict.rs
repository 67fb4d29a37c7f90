//! Runs of a program under the tracing tool, and the check of its trace.

use std::path::PathBuf;

use super::trace::Tr2Trace;
use super::{counts, rules};
use crate::expect::Expected;
use crate::forge::{Forge, Language};
use crate::run::{Launch, Outcome};
use crate::suite::Program;

/// Sources of the tracing tool.
const SOURCES: [&str; 2] = ["tr2/trace.c", "collectors/sampler.c"];

/// Builds the tracing tool as a library.
pub fn tool(forge: &Forge) -> PathBuf {
    forge.build(Language::C99, &SOURCES, &["-O2", "-g", "-shared", "-fPIC", "-pthread"], ".so")
}

/// Launches a program with the library and the tool, and the program's own variables.
pub fn launch(forge: &Forge, program: &Program, threads: u32) -> Launch {
    let launch = Launch::of(forge, &forge.program(program.source)).threads(threads).with_ora();
    program.env.iter().fold(launch, |l, (n, v)| l.env(n, v)).with_collector(&tool(forge))
}

/// The trace of the process.
///
/// # Panics
/// If there is none, or it can't be read.
pub fn trace(outcome: &Outcome) -> Tr2Trace {
    let text = outcome.trace_of(outcome.pid).unwrap_or_else(|| panic!("no trace\n{}", outcome.describe()));
    Tr2Trace::parse(&text).unwrap_or_else(|e| panic!("{e}\n{}", outcome.describe()))
}

/// Checks a trace against the program's text and against the rules for every trace.
///
/// # Panics
/// With all violations, and the command.
pub fn judge(program: &Program, threads: u32, outcome: Outcome) {
    let outcome = outcome.succeeded();
    let trace = trace(&outcome);
    let mut wrong = rules::violations(&trace, program.is_late());
    if let Some(expected) = Expected::of_program(program.source, threads) {
        wrong.extend(counts::differences(&expected, &trace));
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
}
