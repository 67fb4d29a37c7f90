//! Options of `ora race`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args as Group, ValueEnum};
use terminal::screen::Screen;

use super::{help, rows};

#[derive(Debug, Group)]
#[command(after_help = help::RACE)]
pub(crate) struct Race {
    /// Write one JSON object (keys: share/doc/ora/race-json.md) in place of the report; if the program writes to stderr, use -o
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the races to FILE in SARIF, for code hosts and editors; %r is the rank, %p the process of ora, %h the machine
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write to FILE in place of stderr; - is stdout; %r is the rank, %p the process of ora, %h the machine
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Run the program N times, each time with another seed, and merge what is found [default: 1; with --vary 7]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) repeat: Option<u32>,
    /// Numbers of threads, such as 2,4,16: N runs with each
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with = "vary")]
    pub(crate) threads: Vec<u32>,
    /// Run the program with several numbers of threads, in turn
    #[arg(long)]
    pub(crate) vary: bool,
    /// Treat chunks of loops and sections as concurrent, also those that one thread has run
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) chunks: Chunks,
    /// Leave out the races that FILE lists; may be given several times
    #[arg(long, value_name = "FILE", action = ArgAction::Append)]
    pub(crate) suppressions: Vec<PathBuf>,
    /// End with the program's own exit code, also where races were found
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Show ThreadSanitizer's own reports, too, while the program runs
    #[arg(long)]
    pub(crate) raw: bool,
    /// Number of races to show, or `all`
    #[arg(long, value_name = "N", default_value = "20", value_parser = rows)]
    pub(crate) rows: usize,
    #[command(flatten)]
    pub(crate) screen: Screen,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

/// Condition for the treatment of chunks as concurrent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Chunks {
    /// Races of one thread's chunks are possible ones
    #[default]
    Auto,
    /// Races of one thread's chunks are as sure as others
    Yes,
    /// Accesses of one thread are ordered
    No,
}
