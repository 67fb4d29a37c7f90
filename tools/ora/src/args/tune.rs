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
    /// Check the results: the command CMD reads the program's stdout, and fails if that is wrong;
    /// without CMD the stdout must not change
    #[arg(long, verbatim_doc_comment, value_name = "CMD", num_args = 0..=1, default_missing_value = "")]
    pub(crate) check: Option<String>,
    /// Numbers of threads to try, such as 1,2,4 or 1-8
    #[arg(short, long, value_name = "LIST", value_parser = Counts::parse)]
    pub(crate) threads: Option<Counts>,
    /// Last runs of the best setting and of the program as it is, alternating
    #[arg(short, long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub(crate) repeat: u32,
    /// Maximum number of runs
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(5..=100_000))]
    pub(crate) max_runs: u32,
    /// File for settings by region, for ORA_TUNE [default: ora.tune, or the next free name]
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<PathBuf>,
    /// Let the program write to the terminal, except for the stdout that --check reads
    #[arg(long)]
    pub(crate) show_output: bool,
    /// Write one JSON object in place of the table (keys: share/doc/ora/tune-json.md)
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
