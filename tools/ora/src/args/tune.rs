//! Options of `ora tune`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args as Group;
use terminal::screen::Screen;

use super::help;
use super::thread_counts::Counts;

#[derive(Debug, Group)]
#[command(after_help = help::TUNE)]
pub(crate) struct Tune {
    /// Compare the results: CMD gets the program's stdout, and fails where it is wrong; without CMD it has to stay the same
    #[arg(long, value_name = "CMD", num_args = 0..=1, default_missing_value = "")]
    pub(crate) check: Option<String>,
    /// Numbers of threads to try, such as 1,2,4 or 1-8
    #[arg(short, long, value_name = "LIST", value_parser = Counts::parse)]
    pub(crate) threads: Option<Counts>,
    /// Runs of the best setting and of the program as it is, in turns
    #[arg(short, long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) repeat: u32,
    /// Limit of the number of all runs
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(5..=100_000))]
    pub(crate) max_runs: u32,
    /// The file for settings by region, which ORA_TUNE takes; without it ora.tune, or the next name that is free
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<PathBuf>,
    /// Let the program write to the terminal; what --check compares never does
    #[arg(long)]
    pub(crate) show_output: bool,
    /// Write one JSON object (keys: share/doc/ora/tune-json.md) in place of the table
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE in place of stderr; - is stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) screen: Screen,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}
