//! Options of `ora scale`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args as Group;
use terminal::screen::Screen;

use super::help;
use super::thread_counts::Counts;

#[derive(Debug, Group)]
#[command(after_help = help::SCALE)]
pub(crate) struct Scale {
    /// Numbers of threads, such as 1,2,4 or 1-8 [default: 1, 2, 4 and so on, up to the processors]
    #[arg(short, long, value_name = "LIST", value_parser = Counts::parse)]
    pub(crate) threads: Option<Counts>,
    /// Run the program N times with each number, alternating
    #[arg(short, long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: u32,
    /// Write one JSON object in place of the table (keys: share/doc/ora/scale-json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE in place of stderr; - is stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write a diagram of the speed-up to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Write a self-contained page for browsers to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Ignore processes that the program starts
    #[arg(long)]
    pub(crate) no_follow: bool,
    #[command(flatten)]
    pub(crate) screen: Screen,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}
