//! Serialized structures of the JSON report.

mod calls;
mod recording;
mod waits;

use std::collections::BTreeMap;

use advice::Finding;
use json_document::Versioned;
use serde::Serialize;

pub(super) use self::calls::{OneCall, OneConstruct, OneFunction, OneLine};
pub(super) use self::recording::{Cuts, OneProcess, OneRuntime, OneThread, Surroundings};
pub(super) use self::waits::{OneEnd, OneLeaf, OneOutside, OnePlace, OneRegion, OneShare, OneWait};
use crate::job::json::OneJob;

/// Report of a profile.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Body<'a> {
    /// Stacks that functions, lines and calls were taken from: `"user"`, `"expert"` or `"machine"`.
    pub(super) view: &'static str,
    /// Time of day at which the first process began.
    pub(super) begin_ns: u64,
    /// Time of day at which the last one ended.
    pub(super) end_ns: u64,
    /// All samples.
    pub(super) total: Sum,
    /// Sums by what the threads did; the keys are below.
    pub(super) states: BTreeMap<&'static str, Sum>,
    /// The ranks together; `null`: there are less than two.
    #[cfg_attr(test, schemars(with = "Option<schemas::Job>"))]
    pub(super) job: Option<OneJob<'a>>,
    /// One object for each process, ranks in the order of their numbers.
    pub(super) processes: Vec<OneProcess<'a>>,
    /// One object for each thread.
    pub(super) threads: Vec<OneThread<'a>>,
    /// One object for each function, in no order; `calls` name them by their place here, from 0.
    pub(super) functions: Vec<OneFunction<'a>>,
    /// One object for each line of a source file, the one with the most time of its own first.
    pub(super) lines: Vec<OneLine<'a>>,
    /// The call tree: one object for each function and each way in which it was called.
    pub(super) calls: Vec<OneCall<'a>>,
    /// The own time of calls that are not in the tree because they have, with their calls, less than a 10,000th
    /// of all time.
    pub(super) calls_left_out: Sum,
    /// One object for each parallel region of the program's text, the most expensive one first.
    pub(super) regions: Vec<OneRegion<'a>>,
    /// One object for each kind of wait, the most expensive one first.
    pub(super) waits: Vec<OneWait<'a>>,
    /// Threads outside of OpenMP; `null`: there are none.
    pub(super) outside_of_openmp: Option<OneOutside>,
    /// Findings, the most important one first. None with fewer than 50 samples.
    #[cfg_attr(test, schemars(with = "Vec<schemas::Finding>"))]
    pub(super) findings: &'a [Finding],
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-report";
    const VERSION: u32 = 2;
}

/// A sum.
///
/// The CPU time of a thread that ends is added to the next thread's first sample. So threads shorter than a period
/// have their share of `samples` and of all times. A single short thread may have a sample that stands for more
/// than its life. The sum of `cpu_ns` over all samples is the process's CPU time. It may lack about a period for
/// each thread that is there at its end.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Sum {
    /// Number of samples.
    pub(super) samples: u64,
    /// Wall-clock time of threads: a sample stands for the time since the thread's last one, a wait's for the
    /// time that was slept since the wait began.
    pub(super) total_ns: u64,
    /// The part that is OpenMP Work.
    pub(super) work_ns: u64,
    /// The part that is OpenMP Wait. Together they are `total_ns`.
    pub(super) wait_ns: u64,
    /// CPU time of it.
    pub(super) cpu_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Body<'_>>("report-json.md");
    }
}
