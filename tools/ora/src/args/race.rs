//! Options of `ora race`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args as Group, ValueEnum};
use terminal::screen::Screen;

use super::{help, rows};

#[derive(Debug, Group)]
#[command(after_help = help::RACE)]
pub(crate) struct Race {
    /// Write one JSON object in place of the report (keys: share/doc/ora/race-json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the races as SARIF to FILE; %r: rank, %p: process of ora, %h: host
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write to FILE in place of stderr; - is stdout; %r: rank, %p: process of ora, %h: host
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Run the program N times with different seeds [default: 1; with --vary 7]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) repeat: Option<u32>,
    /// Numbers of threads, such as 2,4,16: N runs with each
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with = "vary")]
    pub(crate) threads: Vec<u32>,
    /// Run the program with several numbers of threads, in turn
    #[arg(long)]
    pub(crate) vary: bool,
    /// Report races between chunks or sections that one thread executed: as possible (auto), like
    /// others (yes), or not (no)
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true, verbatim_doc_comment)]
    pub(crate) chunks: Chunks,
    /// Leave out the races that FILE lists; repeatable
    #[arg(long, value_name = "FILE", action = ArgAction::Append)]
    pub(crate) suppressions: Vec<PathBuf>,
    /// Exit with the program's own code even if races were found
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Also show ThreadSanitizer's own reports while the program runs
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
