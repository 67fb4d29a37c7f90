//! Text form of the validator's report.

use std::fmt::Write as _;

use crate::findings::{Findings, Validated, Violation};
use crate::run::Run;

/// One report over all processes.
/// `name`: the program and its arguments, as they are shown.
pub fn report(name: &str, run: &Run<'_>, findings: &Findings) -> String {
    let mut out = format!("\nValidation of {name}\n");
    if let Some(end) = &run.bad_end {
        let _ = writeln!(out, "The program ended with {end}.");
    }
    if !findings.processes.iter().any(|process| !process.forked) {
        out += "\nNothing was checked: no OpenMP runtime has called the validator. Either the program doesn't use OpenMP, or its\n\
                runtime has no tool interface, or OMP_TOOL=disabled is set, or another tool came first, or the system refused\n\
                memory (ulimit -v). `ora doctor -- PROGRAM` finds the reason.\n";
        return out;
    }
    for process in &findings.processes {
        out += &of_process(process);
    }
    out
}

fn of_process(process: &Validated) -> String {
    let Validated { pid, command, runtime, forked, finalized, second_runtime, short, found, .. } = process;
    let mut out = String::new();
    let _ = writeln!(out, "\nProcess {pid}: {command}");
    if *forked {
        out += "A forked child, whose runtime was not initialized again: its events were counted, and not checked.\n";
    } else {
        let _ = writeln!(out, "Runtime: {runtime}");
    }
    if *second_runtime {
        out += "A second runtime in this process has also called the validator: it was declined, and not checked.\n";
    }
    if *short {
        out += "The system refused memory: from then on events were counted, and not checked (see ulimit -v).\n";
    }
    if !forked && !finalized {
        out += "The runtime did not call finalize: the process ended without it.\n";
    }
    let _ = writeln!(out, "\n{:>12}  callback", "events");
    for called in &process.callbacks {
        let note = match called.answered() {
            "always" | "" => String::new(),
            other => format!(" ({other})"),
        };
        let _ = writeln!(out, "{:>12}  {}{note}", called.events, called.callback.name());
    }
    if *forked {
        return out;
    }
    let _ = writeln!(out, "\n{:>12}  {:>8}  rule", "checks", "broken");
    for rule in process.rules.iter().filter(|rule| rule.checks > 0) {
        let _ = writeln!(out, "{:>12}  {:>8}  {}", rule.checks, rule.broken, rule.about.id);
    }
    let idle: Vec<&str> = process.rules.iter().filter(|rule| rule.checks == 0).map(|rule| rule.about.id).collect();
    if !idle.is_empty() {
        let _ = writeln!(out, "Not met: {}", idle.join(", "));
    }
    let checks: u64 = process.rules.iter().map(|rule| rule.checks).sum();
    let met = process.rules.len() - idle.len();
    let _ = writeln!(out, "\n{checks} checks of {met} rules, {found} violations");
    if process.let_pass > 0 {
        let _ = writeln!(
            out,
            "At least {} known deviations of this runtime were let pass: `ora validate --spec 5.2` lists them.",
            process.let_pass
        );
    }
    for violation in &process.violations {
        out += &of_violation(violation);
    }
    let more = (*found as usize).saturating_sub(process.violations.len());
    if more > 0 {
        let _ = writeln!(out, "\nand {more} more; the table above counts them by rule");
    }
    out
}

fn of_violation(violation: &Violation) -> String {
    let Violation { about, callback, thread, code, place, text } = violation;
    let callback = callback.unwrap_or("no callback");
    let mut out = format!("\n{}: {} (OpenMP {}, {})\n", about.id, about.text, about.since, about.section);
    let _ = writeln!(out, "  seen: {text}");
    let _ = write!(out, "  in {callback} on thread {thread}");
    match place {
        Some(place) => {
            let _ = writeln!(out, ", called from {place}");
        }
        None if *code != 0 => {
            let _ = writeln!(out, ", code {code:#x}");
        }
        None => out.push('\n'),
    }
    out
}
