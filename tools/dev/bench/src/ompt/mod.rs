//! `bench ompt`: cost of OMPT's events and queries on libgomp, compared with LLVM's runtime and its own OMPT, for the same tool.

mod figures;
mod goals;
mod measure;
mod programs;
mod rows;
mod tables;
mod way;

use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;

use crate::answer::Answer;
use crate::options::Options;
use crate::programs::Programs;
use crate::samples::Samples;
pub(crate) use programs::{clang, rpath};
use way::Way;

/// All results. A row is a family of events and a construct, or a query and its place.
#[derive(Serialize)]
struct Report {
    /// The compiler of the native side, and a runtime other than the compiler's own.
    clang: String,
    libomp: Option<PathBuf>,
    rounds: u32,
    batches: u32,
    /// Number of events that one construct reports to a tool, on all threads.
    events: Samples<Way>,
    /// Nanoseconds of a construct.
    constructs: Samples<Way>,
    /// Nanoseconds of a query.
    queries: Samples<Way>,
    /// Instructions of a construct, on all threads.
    construct_instructions: Samples<Way>,
    /// Instructions of a query.
    query_instructions: Samples<Way>,
}

pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let runs = programs::Runs { sleep: options.quick, libomp: options.libomp.clone() };
    let built = programs::Built::build(programs, runs)?;
    let (rounds, batches) = (options.rounds(15, 2), options.batches());
    let events = measure::events(&built)?;
    let constructs = measure::constructs(&built, rounds, batches)?;
    let queries = measure::queries(&built, rounds, batches)?;
    let counts = options.counts();
    let construct_instructions = measure::construct_instructions(&built, counts, options.quick)?;
    let query_instructions = measure::query_instructions(&built, counts, options.quick)?;
    let report = Report {
        libomp: options.libomp.clone(),
        rounds,
        batches,
        events,
        constructs,
        queries,
        construct_instructions,
        query_instructions,
        clang: built.clang,
    };
    Answer::new(programs, &report, tables::page(&report))
}
