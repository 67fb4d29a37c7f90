//! `bench profile`: what `ora profile` costs, beside the bare program, `perf record -g` and gprofng.
#![expect(clippy::print_stdout, reason = "a command talks on stdout")]

mod measure;
mod subjects;
mod tables;
mod ways;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::programs::{Programs, processors};
use measure::Run;
use subjects::Subject;
use ways::{Way, Ways};

/// What `bench profile` can be told.
#[derive(Args)]
pub(crate) struct Arguments {
    /// How many times all programs run, one after the other.
    #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How long each program works, bare.
    #[arg(long, default_value_t = 2000, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..))]
    length: u32,
    /// One short round, which only shows that all works.
    #[arg(long)]
    quick: bool,
    /// Only these programs, with commas between: regions, region_work, often, barriers, tasks, stencil, training.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// A Python with scikit-learn, for the training; `ORA_TEST_PYTHON` names one, too.
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,
    /// Waiting threads sleep (`OMP_WAIT_POLICY=passive`): on a machine that others use, spinning ones tell nothing.
    #[arg(long)]
    passive: bool,
    /// Prints all that was measured as JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Another libora.so than that beside this program; the command `ora` and the collector lie beside it.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

/// All that was measured.
#[derive(Serialize)]
struct Report {
    library: PathBuf,
    processors: usize,
    rounds: u32,
    /// Why there is nothing of a way, or of a program.
    missing: BTreeMap<String, String>,
    /// By program and way.
    runs: BTreeMap<Subject, BTreeMap<Way, Vec<Run>>>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let programs = Programs::build_with(arguments.library.clone(), &["ora", "ora-cli", "profiler"])?;
    let (rounds, length) = if arguments.quick { (1, 30) } else { (arguments.rounds, arguments.length) };
    let mut missing = BTreeMap::new();
    let ways = Ways::find(&programs, arguments.passive, &mut missing)?;
    let subjects = subjects::prepare(&programs, arguments, length, &mut missing)?;
    let runs = measure::rounds(&ways, &subjects, rounds)?;
    let report = Report { library: programs.library, processors: processors(), rounds, missing, runs };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", tables::tables(&report));
    }
    Ok(())
}
