//! What OMPT's events and queries cost on libgomp, beside what LLVM's runtime takes for its own, for the same tool.
#![expect(clippy::print_stdout, reason = "a command talks on stdout")]

mod figures;
mod goals;
mod measure;
mod programs;
mod rows;
mod tables;
mod way;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::programs::{Programs, processors};
use crate::samples::Samples;
pub(crate) use programs::{clang, rpath};
use way::Way;

/// What `bench ompt` can be told.
#[derive(Args)]
pub(crate) struct Arguments {
    /// How many times all programs run, one after the other.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How many batches of about a millisecond each program runs of each construct; the quickest counts.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..))]
    batches: u32,
    /// Two rounds of two batches in which waiting threads sleep, few instruction counts: to see that all works.
    #[arg(long)]
    quick: bool,
    /// Leaves out the instruction counts, which need valgrind.
    #[arg(long)]
    no_instructions: bool,
    /// Prints all that was measured as JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Another libora.so than that beside this program.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// A folder with another libomp.so.5 than the compiler's.
    #[arg(long, value_name = "FOLDER")]
    libomp: Option<PathBuf>,
}

/// All that was measured. Rows are a family of events and a construct, or a question and where it is asked.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) library: PathBuf,
    /// The compiler of the native side, and another runtime than its own.
    pub(crate) clang: String,
    pub(crate) libomp: Option<PathBuf>,
    pub(crate) processors: usize,
    pub(crate) rounds: u32,
    pub(crate) batches: u32,
    /// Events that a tool hears of one construct, on all threads.
    pub(crate) events: Samples<Way>,
    /// Nanoseconds of a construct and of a question.
    pub(crate) constructs: Samples<Way>,
    pub(crate) queries: Samples<Way>,
    /// Instructions of the same, on all threads.
    pub(crate) construct_instructions: Samples<Way>,
    pub(crate) query_instructions: Samples<Way>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let programs = Programs::build(arguments.library.clone())?;
    let runs = programs::Runs { sleep: arguments.quick, libomp: arguments.libomp.clone() };
    let built = programs::Built::build(&programs, runs)?;
    let (rounds, batches) = if arguments.quick { (2, 2) } else { (arguments.rounds, arguments.batches) };
    let events = measure::events(&built)?;
    let (constructs, queries) = measure::times(&built, rounds, batches)?;
    let (construct_instructions, query_instructions) = if arguments.no_instructions {
        (Samples::default(), Samples::default())
    } else {
        measure::instructions(&built, arguments.quick)?
    };
    let report = Report {
        library: programs.library,
        clang: built.clang,
        libomp: arguments.libomp.clone(),
        processors: processors(),
        rounds,
        batches,
        events,
        constructs,
        queries,
        construct_instructions,
        query_instructions,
    };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", tables::print(&report));
    }
    Ok(())
}
