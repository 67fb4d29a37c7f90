//! What watching costs: OpenMP constructs at each level of watching beside the bare program, and the cost of requests;
//! `bench tasks`: what each of many tiny tasks costs, in time, instructions and memory; `bench bots`: programs made of tasks;
//! `bench pomp`: the same tasks, instrumented by OPARI; `bench ompt`: what OMPT's events and queries cost, beside what LLVM's
//! runtime takes for its own; `bench profile`: what `ora profile` costs, beside other profilers; `bench all`:
//! all levels and hosts, whole programs, and how the cost grows.
//!
//! Times are for people to read: nothing here passes or fails by them.
#![expect(clippy::print_stdout, reason = "a command talks on stdout")]

mod all;
mod callgrind;
mod goals;
mod host;
mod host_requests;
mod increments;
mod increments_tables;
mod kernel_tables;
mod kernels;
mod ompt;
mod pomp;
mod profile;
mod programs;
mod rounds;
mod rows;
mod samples;
mod tables;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use serde::Serialize;

/// Measures what watching costs, and prints tables.
#[derive(Parser)]
#[command(version, after_help = "Example: cargo run --release -p bench -- --rounds 40 --instructions")]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    /// How many times all programs run, one after the other.
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How many batches of about a millisecond each program runs of each construct; the quickest counts.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..))]
    batches: u32,
    /// Also counts instructions, with valgrind's callgrind.
    #[arg(long)]
    instructions: bool,
    /// Prints all that was measured as JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Another libora.so than that beside this program.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

/// What to measure in place of constructs and requests.
#[derive(Subcommand)]
enum What {
    /// Every host, level and construct, and whole programs, in one interleaved run.
    All(all::Arguments),
    /// Many tiny tasks (the benchmark of the OPARI task paper of 2010), and the memory that tasks take.
    Tasks(increments::Arguments),
    /// The same tasks in a program that OPARI has instrumented; needs opari2.
    Pomp(pomp::Arguments),
    /// Programs made of tasks (the kernels of the OpenUH paper, after the Barcelona OpenMP Tasks Suite).
    Bots(kernels::Arguments),
    /// Events and queries of OMPT on libgomp, beside those that LLVM's runtime brings itself; needs clang and libomp.
    Ompt(ompt::Arguments),
    /// Collectors and tools on LLVM's runtime, beside a native tool that does nothing; needs clang and libomp.
    Host(host::Arguments),
    /// `ora profile`, beside `perf record -g` and gprofng, where these are.
    Profile(profile::Arguments),
}

/// All that was measured.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) library: PathBuf,
    pub(crate) processors: usize,
    pub(crate) rounds: u32,
    pub(crate) batches: u32,
    pub(crate) times: samples::Samples,
    /// Events that the master raises for one of each construct.
    pub(crate) events: std::collections::BTreeMap<String, f64>,
    /// Instructions, where they were asked for.
    pub(crate) instructions: Option<samples::Samples>,
}

fn main() -> ExitCode {
    if let Err(error) = run(Arguments::parse()) {
        eprintln!("error: {error:#}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn run(arguments: Arguments) -> Result<()> {
    match arguments.what {
        None => constructs(arguments),
        Some(What::All(arguments)) => all::run(&arguments),
        Some(What::Tasks(arguments)) => increments::run(&arguments),
        Some(What::Pomp(arguments)) => pomp::run(&arguments),
        Some(What::Bots(arguments)) => kernels::run(&arguments),
        Some(What::Ompt(arguments)) => ompt::run(&arguments),
        Some(What::Host(arguments)) => host::run(&arguments),
        Some(What::Profile(arguments)) => profile::run(&arguments),
    }
}

fn constructs(arguments: Arguments) -> Result<()> {
    let programs = programs::Programs::build(arguments.library)?;
    let times = rounds::measure(&programs, arguments.rounds, arguments.batches)?;
    let events = rounds::count_events(&programs)?;
    let instructions = if arguments.instructions { Some(callgrind::measure(&programs)?) } else { None };
    let report = Report {
        library: programs.library.clone(),
        processors: programs::processors(),
        rounds: arguments.rounds,
        batches: arguments.batches,
        times,
        events,
        instructions,
    };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", tables::print(&report));
    }
    Ok(())
}
