//! The same for programs: JSON, described in `race-json.md`.

use std::ffi::OsString;

use anyhow::Result;
use json_document::{Document, Versioned, words};
use serde::Serialize;

use crate::cause::Explained;
use crate::finding::{Side, Variable};
use crate::frames::Frame;
use crate::outcome::{OneRun, Outcome};
use crate::recorded::Program;
use crate::run::Ending;

#[derive(Serialize)]
struct Body<'a> {
    command: Vec<String>,
    racy: bool,
    races: Vec<OneRace<'a>>,
    runs: Vec<RunOf<'a>>,
    suppressions: Vec<OneRule>,
    notes: Vec<String>,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-race";
    const VERSION: u32 = 1;
}

#[derive(Serialize)]
struct OneRace<'a> {
    sure: bool,
    why_possible: Option<&'a str>,
    variable: &'a Variable,
    accesses: [OneAccess<'a>; 2],
    missing: &'a str,
    likely: &'a [String],
    times: u64,
    runs: Vec<usize>,
    pids: Vec<u32>,
    teams: Vec<u32>,
}

#[derive(Serialize)]
struct OneAccess<'a> {
    write: bool,
    atomic: bool,
    size: u64,
    omp_thread: Option<u32>,
    os_thread: u64,
    stack: &'a [Frame],
    source: Option<&'a str>,
    construct: Option<OneConstruct<'a>>,
    region: Option<OneRegion<'a>>,
    mutexes: Vec<Held<'a>>,
    since: Option<Held<'a>>,
}

#[derive(Serialize)]
struct OneConstruct<'a> {
    kind: &'a str,
    at: Option<&'a Frame>,
    created: &'a [Frame],
}

#[derive(Serialize)]
struct OneRegion<'a> {
    at: Option<&'a Frame>,
    id: u64,
    team: u32,
}

/// A mutex or a synchronisation.
#[derive(Serialize)]
struct Held<'a> {
    kind: &'a str,
    at: Option<&'a Frame>,
}

#[derive(Serialize)]
struct RunOf<'a> {
    exit_code: Option<u8>,
    signal: Option<i32>,
    omp_num_threads: Option<u32>,
    seed: u32,
    processes: Vec<OneProcess<'a>>,
}

#[derive(Serialize)]
struct OneProcess<'a> {
    pid: u32,
    parent: u32,
    command: &'a [String],
    runtime: &'a str,
    libtsan: &'a str,
    fibers: &'a str,
    threads_max: u32,
    /// Number of race reports, before they are merged.
    reports: usize,
    left_out: Vec<LeftOut<'a>>,
    tasks: Option<u64>,
    ended: bool,
}

#[derive(Serialize)]
struct LeftOut<'a> {
    reason: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct OneRule {
    rule: String,
    races: usize,
}

/// The document about the runs of `command`.
///
/// # Errors
/// Never: all of it can be said in JSON.
pub fn document(command: &[OsString], outcome: &Outcome) -> Result<String> {
    let body = Body {
        command: words(command),
        racy: outcome.is_racy(),
        races: outcome.findings.iter().map(OneRace::of).collect(),
        runs: outcome.runs.iter().map(RunOf::of).collect(),
        suppressions: outcome.rules.iter().map(|rule| OneRule { rule: rule.to_string(), races: rule.used }).collect(),
        notes: outcome.notes(),
    };
    Ok(Document::of(body).text()?)
}

impl<'a> OneRace<'a> {
    fn of(explained: &'a Explained) -> Self {
        let Explained { finding, missing, likely } = explained;
        Self {
            sure: finding.sure,
            why_possible: finding.why_possible.as_deref(),
            variable: &finding.variable,
            accesses: finding.sides.each_ref().map(OneAccess::of),
            missing,
            likely,
            times: finding.times,
            runs: finding.runs.iter().copied().collect(),
            pids: finding.pids.iter().copied().collect(),
            teams: finding.teams.iter().copied().collect(),
        }
    }
}

impl<'a> OneAccess<'a> {
    fn of(side: &'a Side) -> Self {
        Self {
            write: side.write,
            atomic: side.atomic,
            size: side.size,
            omp_thread: side.omp_thread,
            os_thread: side.os_thread,
            stack: &side.stack,
            source: side.text.as_deref(),
            construct: side.construct.as_ref().map(|construct| OneConstruct {
                kind: &construct.kind,
                at: construct.at.as_ref(),
                created: &construct.created,
            }),
            region: side.region.as_ref().map(|region| OneRegion {
                at: region.at.as_ref(),
                id: region.id,
                team: region.team,
            }),
            mutexes: side.mutexes.iter().map(|mutex| Held { kind: &mutex.kind, at: mutex.at.as_ref() }).collect(),
            since: side.since.as_ref().map(|(kind, at)| Held { kind, at: at.as_ref() }),
        }
    }
}

impl<'a> RunOf<'a> {
    fn of(run: &'a OneRun) -> Self {
        let (exit_code, signal) = match run.ending {
            Ending::Code(code) => (Some(code), None),
            Ending::Signal { number, .. } => (None, Some(number)),
        };
        let processes = run.programs.iter().map(OneProcess::of).collect();
        Self { exit_code, signal, omp_num_threads: run.plan.threads, seed: run.plan.seed, processes }
    }
}

impl<'a> OneProcess<'a> {
    fn of(program: &'a Program) -> Self {
        let process = &program.process;
        let left_out = program.suppressed.iter().map(|one| LeftOut { reason: &one.reason, count: one.count });
        Self {
            pid: process.pid,
            parent: process.parent,
            command: &process.command,
            runtime: &process.runtime,
            libtsan: &process.libtsan,
            fibers: &process.fibers,
            threads_max: process.threads_max,
            reports: program.races.len(),
            left_out: left_out.collect(),
            tasks: program.end.as_ref().map(|end| end.tasks),
            ended: program.end.is_some(),
        }
    }
}
