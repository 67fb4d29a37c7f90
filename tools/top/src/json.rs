//! One line of JSON for each observation, described in `top-json.md`.

use anyhow::Result;
use json_document::{Document, Versioned};
use serde::Serialize;
use stat_analysis::stat::json;

use super::candidates::Candidate;
use super::sample::{Pair, Sample};

/// A look.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Line"))]
struct Line<T> {
    /// Time from the beginning to this look.
    at_ns: u64,
    /// Time since the last look. The intervals add up to `at_ns`.
    interval_ns: u64,
    /// True in the last line.
    last: bool,
    /// The process that was asked for, then others that its program has started. Without a process and a
    /// program: your processes that use OpenMP.
    processes: Vec<T>,
}

impl<T: Serialize> Versioned for Line<T> {
    const SCHEMA: &'static str = "ora-top";
    const VERSION: u32 = 1;
}

/// A process.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "OneProcess"))]
struct OneProcess<I, T> {
    /// Its number.
    pid: u32,
    /// Its figures since the last look.
    interval: I,
    /// Its figures since the beginning.
    total: T,
}

/// A process that uses OpenMP.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneCandidate<'a> {
    /// Its number.
    pid: u32,
    /// Its command line.
    command: &'a str,
    /// Number of its threads, with those outside of OpenMP.
    threads: usize,
    /// CPU time since the last look.
    cpu_ns: u64,
    /// True if an `ora` counts its figures already.
    watched: bool,
    /// True if `libora.so` is loaded.
    library: bool,
}

/// The line of an observation of one program.
///
/// # Errors
/// None are known: it contains nothing that JSON can't express.
pub(super) fn line(sample: &Sample, last: bool) -> Result<String> {
    text(sample.at_ns, sample.interval_ns, last, sample.processes.iter().map(one_process).collect())
}

/// The line of an observation of all processes of the user.
///
/// # Errors
/// The same as those of [`line`].
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

#[cfg(test)]
mod tests {
    use super::*;

    /// An element of `processes`, in both forms of the command.
    #[derive(Serialize, schemars::JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "a type of which the schema counts")]
    enum Row<'a> {
        Process(OneProcess<schemas::StatProcess, schemas::StatProcess>),
        Candidate(OneCandidate<'a>),
    }

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Line<Row<'_>>>("top-json.md");
    }
}
