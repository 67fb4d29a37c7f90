//! The same for programs: JSON, described in `validate-json.md`.

use anyhow::Result;
use json_document::{Document, Versioned, words};
use serde::Serialize;
use validate_layout::release::Release;

use crate::findings::{Findings, Validated};
use crate::run::Run;

#[derive(Serialize)]
struct Body<'a> {
    command: Vec<String>,
    exit_code: Option<u8>,
    signal: Option<i32>,
    spec: Option<&'static str>,
    good: bool,
    processes: Vec<OneProcess<'a>>,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-validate";
    const VERSION: u32 = 1;
}

#[derive(Serialize)]
struct OneProcess<'a> {
    pid: u32,
    command: &'a str,
    runtime: &'a str,
    checked: bool,
    finalized: bool,
    second_runtime: bool,
    short_of_memory: bool,
    callbacks: Vec<OneCallback>,
    rules: Vec<OneRule>,
    violation_count: u32,
    violations: Vec<OneViolation<'a>>,
}

#[derive(Serialize)]
struct OneCallback {
    name: &'static str,
    number: u32,
    set_result: Option<u32>,
    events: u64,
}

#[derive(Serialize)]
struct OneRule {
    id: &'static str,
    text: &'static str,
    since: &'static str,
    section: &'static str,
    checks: u64,
    broken: u64,
}

#[derive(Serialize)]
struct OneViolation<'a> {
    rule: &'static str,
    seen: &'a str,
    callback: Option<&'static str>,
    thread: u64,
    code: Option<String>,
    place: Option<String>,
}

/// The document about a run.
///
/// # Errors
/// Never: all of it can be said in JSON.
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
            violation_count: process.found,
            violations: violations.collect(),
        }
    }
}
