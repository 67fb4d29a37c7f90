//! `bench all`: every host, level and construct, and whole programs, in one interleaved run.
#![expect(clippy::print_stdout, reason = "a command talks on stdout")]

mod bootstrap;
mod growth;
mod levels;
mod subjects;
mod tables;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::callgrind;
use crate::host_requests::Requests;
use crate::programs::{Programs, processors};
use crate::samples::Samples;
use growth::Growth;
use levels::Levels;
use subjects::{Host, Subject};

/// What `bench all` can be told.
#[derive(Args)]
pub(crate) struct Arguments {
    /// How many times all programs run, one after the other.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// About how long each whole program works, bare.
    #[arg(long, default_value_t = 400, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..))]
    length: u32,
    /// Two short rounds, small programs: to see that all works.
    #[arg(long)]
    quick: bool,
    /// Only these, with commas between: constructs, live, training, triad, stencil, region_work, or names of kernels.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// A Python with scikit-learn, for a training; `ORA_TEST_PYTHON` names one, too.
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,
    /// Leaves out the instruction counts, which need valgrind.
    #[arg(long)]
    no_instructions: bool,
    /// Prints all that was measured as JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Another libora.so than that beside this program; the command `ora` and the collector lie beside it.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

impl Arguments {
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

/// All that was measured.
#[derive(Serialize)]
struct Report {
    library: PathBuf,
    processors: usize,
    rounds: u32,
    /// Why there is nothing of a host, or of a program.
    missing: BTreeMap<String, String>,
    /// Nanoseconds, by host and row.
    constructs: BTreeMap<Host, Samples>,
    /// Nanoseconds of CPU time, by host and row.
    programs: BTreeMap<Host, Samples>,
    /// Instructions of a construct on one thread.
    instructions: BTreeMap<Host, Samples>,
    growth: Growth,
    /// Where all is measured, and there is clang.
    requests: Option<Requests>,
}

/// How often the shorter run of a construct does it, where instructions are counted.
const COUNT: u32 = 1000;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let programs = Programs::build_with(arguments.library.clone(), &["ora", "ora-cli", "profiler"])?;
    let rounds = if arguments.quick { 2 } else { arguments.rounds };
    let levels = Levels::find(&programs)?;
    let mut missing = BTreeMap::new();
    let subjects = subjects::prepare(&programs, arguments, &mut missing)?;
    let (mut constructs, mut whole) = (BTreeMap::new(), BTreeMap::new());
    for round in 0..rounds {
        for subject in &subjects {
            eprint!("\rround {} of {rounds}: {:32}", round + 1, subject.title());
            for level in levels::of_round(round) {
                let values = subject.run(&levels, level)?;
                let samples: &mut BTreeMap<Host, Samples> =
                    if subject.is_whole() { &mut whole } else { &mut constructs };
                let samples = samples.entry(subject.host).or_default();
                values.iter().for_each(|(row, value)| samples.add(row, level, *value));
            }
        }
    }
    eprintln!();
    let instructions =
        if arguments.no_instructions { BTreeMap::new() } else { instructions(&programs, &subjects, arguments.quick)? };
    let growth = Growth::measure(&levels, &subjects, arguments.quick)?;
    let requests = match subjects::asking(&programs) {
        Ok(asking) if arguments.only.is_empty() => {
            Some(Requests::measure(&programs, &asking, rounds, !arguments.no_instructions)?)
        }
        _ => None,
    };
    let report = Report {
        library: programs.library,
        processors: processors(),
        rounds,
        missing,
        constructs,
        programs: whole,
        instructions,
        growth,
        requests,
    };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", tables::tables(&report));
    }
    Ok(())
}

fn instructions(programs: &Programs, subjects: &[Subject], quick: bool) -> Result<BTreeMap<Host, Samples>> {
    let mut all: BTreeMap<Host, Samples> = BTreeMap::new();
    for subject in subjects {
        for row in subject.constructs().iter().take(if quick { 1 } else { usize::MAX }) {
            eprint!("\rinstructions of {:32}", format!("{row}, {}", subject.host.title()));
            for level in levels::COUNTED {
                let total = |count: u32| {
                    let arguments = ["run", row, &count.to_string()];
                    callgrind::counted(&subject.program, &arguments, None, |command| {
                        programs.watch(command, level);
                        command.env("OMP_NUM_THREADS", "1");
                    })
                };
                let each = (total(2 * COUNT)? - total(COUNT)?) / f64::from(COUNT);
                all.entry(subject.host).or_default().add(row, level, each);
            }
        }
    }
    eprintln!();
    Ok(all)
}
