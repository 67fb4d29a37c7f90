//! One line of JSON for each look, described in `top-json.md`.

use anyhow::Result;
use json_document::{Document, Versioned};
use serde::Serialize;
use stat_analysis::stat::json;

use super::candidates::Candidate;
use super::sample::{Pair, Sample};

#[derive(Serialize)]
struct Line<T> {
    at_ns: u64,
    interval_ns: u64,
    last: bool,
    processes: Vec<T>,
}

impl<T: Serialize> Versioned for Line<T> {
    const SCHEMA: &'static str = "ora-top";
    const VERSION: u32 = 1;
}

#[derive(Serialize)]
struct OneProcess<I, T> {
    pid: u32,
    interval: I,
    total: T,
}

#[derive(Serialize)]
struct OneCandidate<'a> {
    pid: u32,
    command: &'a str,
    threads: usize,
    cpu_ns: u64,
    watched: bool,
    library: bool,
}

/// The line of a look at one program.
///
/// # Errors
/// None is known: there is nothing in it that JSON can't say.
pub(super) fn line(sample: &Sample, last: bool) -> Result<String> {
    text(sample.at_ns, sample.interval_ns, last, sample.processes.iter().map(one_process).collect())
}

/// The line of a look at all processes of the user.
///
/// # Errors
/// As [`line`].
pub(super) fn list(candidates: &[Candidate], at_ns: u64, interval_ns: u64, last: bool) -> Result<String> {
    text(at_ns, interval_ns, last, candidates.iter().map(one_candidate).collect())
}

fn one_process(pair: &Pair) -> OneProcess<impl Serialize, impl Serialize> {
    let (interval, total) = (json::process(&pair.interval), json::process(&pair.total));
    OneProcess { pid: pair.total.who.pid, interval, total }
}

fn one_candidate(candidate: &Candidate) -> OneCandidate<'_> {
    let Candidate { pid, threads, cpu_ns, watched, has_library, .. } = *candidate;
    OneCandidate { pid, command: candidate.command.raw(), threads, cpu_ns, watched, library: has_library }
}

fn text<T: Serialize>(at_ns: u64, interval_ns: u64, last: bool, processes: Vec<T>) -> Result<String> {
    Ok(Document::of(Line { at_ns, interval_ns, last, processes }).line()?)
}
