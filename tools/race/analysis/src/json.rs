//! The results as JSON for other programs, described in `race-json.md`.

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

/// Races of a program.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Body<'a> {
    /// The program and its arguments, as given.
    command: Vec<String>,
    /// True if a race is left that is `sure`: the exit code is 66 then.
    racy: bool,
    /// One object for each pair of places, the sure ones first.
    races: Vec<OneRace<'a>>,
    /// One object for each run of the program.
    runs: Vec<RunOf<'a>>,
    /// The rules of the files that `--suppressions` names.
    suppressions: Vec<OneRule>,
    /// Sentences for people: what could not be seen, and what was changed.
    notes: Vec<String>,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-race";
    const VERSION: u32 = 1;
}

/// A race.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneRace<'a> {
    /// False: the accesses may be ordered by something that can't be seen.
    sure: bool,
    /// The reason, if it isn't sure.
    why_possible: Option<&'a str>,
    /// The memory.
    variable: &'a Variable,
    /// Two objects: the access at which the race was found, and the former one.
    accesses: [OneAccess<'a>; 2],
    /// A sentence: what doesn't stand between the accesses.
    missing: &'a str,
    /// Clauses and directives that would order the accesses, the likeliest first; empty without evidence.
    likely: &'a [String],
    /// Number of reports.
    times: u64,
    /// Numbers of the runs in which it was, from 1.
    runs: Vec<usize>,
    /// Numbers of the processes.
    pids: Vec<u32>,
    /// Sizes of the teams.
    teams: Vec<u32>,
}

/// An access.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneAccess<'a> {
    /// False: it reads.
    write: bool,
    /// True if it is atomic.
    atomic: bool,
    /// Number of bytes.
    size: u64,
    /// Number of the thread in its team.
    omp_thread: Option<u32>,
    /// ThreadSanitizer's number of the thread; 0 is the initial one.
    os_thread: u64,
    /// Functions, innermost first; empty if ThreadSanitizer has forgotten them. Those of runtimes are left out.
    stack: &'a [Frame],
    /// Text of the innermost line.
    source: Option<&'a str>,
    /// Innermost construct.
    construct: Option<OneConstruct<'a>>,
    /// Innermost parallel region.
    region: Option<OneRegion<'a>>,
    /// Mutexes that the thread held.
    mutexes: Vec<Held<'a>>,
    /// Last synchronisation before the access.
    since: Option<Held<'a>>,
}

/// A construct.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneConstruct<'a> {
    /// `"implicit task"`, `"task"`, `"taskloop"`, `"loop chunk"`, `"section"`, `"single"`, `"master"`,
    /// `"initial"` or `"foreign thread"`.
    kind: &'a str,
    /// Its place.
    at: Option<&'a Frame>,
    /// Functions that created it, if it is a task, innermost first.
    created: &'a [Frame],
}

/// A region.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneRegion<'a> {
    /// Its place.
    at: Option<&'a Frame>,
    /// Its number in the process.
    id: u64,
    /// Size of its team.
    team: u32,
}

/// A mutex or synchronisation.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Held<'a> {
    /// Its kind.
    kind: &'a str,
    /// The place that took it, or that synchronised.
    at: Option<&'a Frame>,
}

/// A run.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RunOf<'a> {
    /// Exit code of the program; `null`: a signal ended it.
    exit_code: Option<u8>,
    /// The signal that ended it.
    signal: Option<i32>,
    /// Number of threads that `--threads` or `--vary` has set; `null`: the user's environment.
    omp_num_threads: Option<u32>,
    /// Number that varies what ThreadSanitizer forgets.
    seed: u32,
    /// One object for each process, and for each program that a process has executed.
    processes: Vec<OneProcess<'a>>,
}

/// A process.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneProcess<'a> {
    /// Its number.
    pid: u32,
    /// Number of its parent.
    parent: u32,
    /// The command line.
    command: &'a [String],
    /// Name that its OpenMP runtime gives itself.
    runtime: &'a str,
    /// The file that has ThreadSanitizer.
    libtsan: &'a str,
    /// Means to tell tasks apart: `"pooled"`, `"one a task"` or `"none"`.
    fibers: &'a str,
    /// Most threads of a team.
    threads_max: u32,
    /// Number of reports, before they were merged.
    reports: usize,
    /// Reports that were no races of the program.
    left_out: Vec<LeftOut<'a>>,
    /// Number of explicit tasks; `null`: the process didn't come to its end.
    tasks: Option<u64>,
    /// True if it ended by `exit`.
    ended: bool,
}

/// Reports of one reason.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LeftOut<'a> {
    /// The reason for which they were left out.
    reason: &'a str,
    /// Number of reports.
    count: u64,
}

/// A suppression.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneRule {
    /// The rule.
    rule: String,
    /// Number of races that it has left out.
    races: usize,
}

/// The document about the runs of `command`.
///
/// # Errors
/// Never: everything can be represented in JSON.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Body<'_>>("race-json.md");
    }
}
