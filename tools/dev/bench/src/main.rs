//! Benchmarks of the cost of watching. One runner executes all benchmarks (listed in `Name`): it runs programs in several ways, round after
//! round, and measures time, instructions, or the values that they print.
//!
//! The times are for people to read: no test passes or fails because of them.
#![expect(clippy::print_stdout, reason = "a command talks on stdout")]

mod all;
mod answer;
mod benchmark;
mod callgrind;
mod constructs;
mod consumption;
mod corpus;
mod growth;
mod kernels;
mod libomp;
mod mode;
mod ompt;
mod options;
mod pomp;
mod profile;
mod programs;
mod requests;
mod runner;
mod samples;
mod table;
mod tasks;
mod trace;
mod training;
mod tune;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use options::Options;

fn main() -> ExitCode {
    if let Err(error) = run(&Options::parse()) {
        eprintln!("error: {error:#}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn run(options: &Options) -> Result<()> {
    let mut all = serde_json::Map::new();
    for name in &options.benchmarks {
        let answer = benchmark::run(*name, options)?;
        if options.json {
            let name = name.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
            all.insert(name, answer.json);
        } else {
            print!("{}", answer.page);
        }
    }
    if options.json {
        // The result of a single benchmark is printed without the benchmark's name.
        let only = if all.len() == 1 { all.values().next().cloned() } else { None };
        println!("{}", serde_json::to_string_pretty(&only.unwrap_or(all.into()))?);
    }
    Ok(())
}
