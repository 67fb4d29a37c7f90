//! The report for programs: JSON, described in `validate-json.md`.

use anyhow::Result;
use json_document::{Document, Versioned, words};
use serde::Serialize;
use validate_layout::release::Release;

use crate::findings::{Findings, Validated};
use crate::run::Run;

/// OpenMP runtime's calls, checked against the specification.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Body<'a> {
    /// The program and its arguments, as given.
    command: Vec<String>,
    /// Exit code of the program; `null`: a signal ended it.
    exit_code: Option<u8>,
    /// The signal that ended it.
    signal: Option<i32>,
    /// The release of OpenMP that the runtime was held to; `null` without `--spec`.
    spec: Option<&'static str>,
    /// True if something was checked, and no rule was broken.
    good: bool,
    /// One object for each process, or program in it, whose OpenMP runtime has called the validator, and for
    /// each forked child that had events; at most 64.
    processes: Vec<OneProcess<'a>>,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-validate";
    const VERSION: u32 = 1;
}

/// A process.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneProcess<'a> {
    /// Its number.
    pid: u32,
    /// The command line, words with blanks between, cut off at 512 bytes.
    command: &'a str,
    /// Name that its runtime gives itself.
    runtime: &'a str,
    /// False: a forked child whose runtime did not begin anew; its events were counted only.
    checked: bool,
    /// True if the runtime has called the tool's finalizer.
    finalized: bool,
    /// True if another runtime in the process has asked for the validator, and was declined.
    second_runtime: bool,
    /// True if the system has refused memory: from then on events were counted and not checked.
    short_of_memory: bool,
    /// One object for each callback of the host.
    callbacks: Vec<OneCallback>,
    /// One object for each rule.
    rules: Vec<OneRule>,
    /// Known deviations of LLVM's and Intel's runtimes that were let pass, at least; 0 with `--spec`, by which they are violations.
    let_pass: u64,
    /// Number of violations in all.
    violation_count: u32,
    /// The first 20 of them.
    violations: Vec<OneViolation<'a>>,
}

/// A callback.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneCallback {
    /// Its name, without `ompt_callback_`.
    name: &'static str,
    /// Its number.
    number: u32,
    /// The answer of `ompt_set_callback` (5: always).
    set_result: Option<u32>,
    /// Number of events.
    events: u64,
}

/// A rule.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneRule {
    /// Its name.
    id: &'static str,
    /// Its text.
    text: &'static str,
    /// The release that it came with.
    since: &'static str,
    /// The section there.
    section: &'static str,
    /// Number of checks.
    checks: u64,
    /// Number of checks that found it broken.
    broken: u64,
}

/// A violation.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneViolation<'a> {
    /// The `id` of the rule.
    rule: &'static str,
    /// The events that break it, in words.
    seen: &'a str,
    /// Name of the callback; `null`: outside of all.
    callback: Option<&'static str>,
    /// The validator's number of the thread, from 1 in the order of their first events.
    thread: u64,
    /// The return address, in hexadecimal.
    code: Option<String>,
    /// The place in the program that it belongs to.
    place: Option<String>,
}

/// The JSON document about a run.
///
/// # Errors
/// Never: everything in it can be expressed in JSON.
pub fn document(run: &Run<'_>, spec: Option<Release>, findings: &Findings) -> Result<String> {
    let body = Body {
        command: words(run.program),
        exit_code: run.exit_code,
        signal: run.signal,
        spec: spec.map(Release::name),
        good: findings.are_good(),
        processes: findings.processes.iter().map(OneProcess::of).collect(),
    };
    Ok(Document::of(body).text()?)
}

impl<'a> OneProcess<'a> {
    fn of(process: &'a Validated) -> Self {
        let callbacks = process.callbacks.iter().map(|called| OneCallback {
            name: called.callback.name(),
            number: called.callback as u32,
            set_result: called.answer,
            events: called.events,
        });
        let rules = process.rules.iter().map(|rule| OneRule {
            id: rule.about.id,
            text: rule.about.text,
            since: rule.about.since.name(),
            section: rule.about.section,
            checks: rule.checks,
            broken: rule.broken,
        });
        let violations = process.violations.iter().map(|violation| OneViolation {
            rule: violation.about.id,
            seen: &violation.text,
            callback: violation.callback,
            thread: violation.thread,
            code: (violation.code != 0).then(|| format!("{:#x}", violation.code)),
            place: violation.place.clone(),
        });
        Self {
            pid: process.pid,
            command: &process.command,
            runtime: &process.runtime,
            checked: !process.forked,
            finalized: process.finalized,
            second_runtime: process.second_runtime,
            short_of_memory: process.short,
            callbacks: callbacks.collect(),
            rules: rules.collect(),
            let_pass: process.let_pass,
            violation_count: process.found,
            violations: violations.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Body<'_>>("validate-json.md");
    }
}
