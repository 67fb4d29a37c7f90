//! Options of the commands that examine a running process.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as Group, ValueEnum};
use terminal::screen::Screen;

use super::{Events, help, rows};

#[derive(Debug, Group)]
#[command(after_help = help::ATTACH)]
pub(crate) struct Attach {
    /// Process ID
    #[arg(value_name = "PID", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pid: u32,
    /// Table or recording to make, as the command of that name does: stat, tasks, profile or trace
    #[arg(value_name = "WHAT", default_value = "stat", hide_possible_values = true)]
    pub(crate) what: Watch,
    /// Time to watch, in seconds [default: until Ctrl-C, or the end of the process]
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub(crate) seconds: Option<f64>,
    /// Write one JSON object in place of the table (keys: share/doc/ora/stat-json.md, tasks-json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the table to FILE in place of stdout, or the recording to the folder FILE in place of
    /// ora-profile or ora-trace; %r: rank, %p: process of ora, %h: host
    #[arg(short, long, value_name = "FILE", verbatim_doc_comment)]
    pub(crate) output: Option<PathBuf>,
    /// For a profile: samples of each thread, per second of its CPU time [default: 97]
    #[arg(short = 'F', long = "rate", value_name = "HZ", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) rate: Option<u32>,
    /// For a profile: signal to use, a name or number [default: URG for perf events, else 59]
    #[arg(long, value_name = "SIG", value_parser = super::signal::chosen)]
    pub(crate) signal: Option<super::Chosen>,
    /// For a trace: events (regions, sync, tasks, locks, work) [default: regions,sync,tasks,locks]
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide_possible_values = true)]
    pub(crate) events: Vec<Events>,
    /// Rows for threads: a number, or `all`
    #[arg(long, value_name = "N", default_value = "32", value_parser = rows)]
    pub(crate) rows: usize,
    /// Also attach to a process that has a seccomp filter, such as that of a container
    #[arg(long)]
    pub(crate) allow_seccomp: bool,
    #[command(flatten)]
    pub(crate) screen: Screen,
}

#[derive(Debug, Group)]
#[command(after_help = help::TOP)]
pub(crate) struct Top {
    /// Process ID, or the name of a program [default: a list of your processes that use OpenMP]
    #[arg(value_name = "PID|NAME", conflicts_with = "program")]
    pub(crate) process: Option<String>,
    /// Length of an interval, in seconds
    #[arg(long, value_name = "N", default_value = "1", value_parser = seconds)]
    interval: f64,
    /// Write each interval as text, in place of the interactive screen
    #[arg(long)]
    pub(crate) batch: bool,
    /// End after this number of intervals; implies --batch
    #[arg(short = 'n', long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) count: Option<u32>,
    /// Write one JSON object for each interval, one a line (keys: share/doc/ora/top-json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE in place of stdout; implies --batch; %r: rank, %p: process of ora, %h: host
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Rows for threads: a number, or `all`
    #[arg(long, value_name = "N", default_value = "32", value_parser = rows)]
    pub(crate) rows: usize,
    /// Also attach to a process that has a seccomp filter, such as that of a container
    #[arg(long)]
    pub(crate) allow_seccomp: bool,
    #[command(flatten)]
    pub(crate) screen: Screen,
    /// Program to start, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

impl Top {
    /// Time between two observations.
    pub(crate) fn interval(&self) -> Duration {
        Duration::from_secs_f64(self.interval)
    }
}

/// Collector that is injected into a running process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Watch {
    /// Time of threads by activity
    Stat,
    /// Cost of tasks
    Tasks,
    /// Samples of all threads, for `ora report`
    Profile,
    /// Every event with its time, for `ora report`
    Trace,
}

#[derive(Debug, Group)]
#[command(after_help = help::HANG)]
pub(crate) struct Hang {
    /// Process ID
    #[arg(value_name = "PID", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pid: u32,
    /// Milliseconds between the two examinations: a thread that runs does not hang
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    pub(crate) between: u64,
    /// Write one JSON object in place of the text (keys: share/doc/ora/hang-json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE in place of stdout; %r: rank, %p: process of ora, %h: host
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) screen: Screen,
}

/// A day is enough for everybody.
const MAX_SECONDS: f64 = 86_400.0;

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| *number > 0.0 && *number <= MAX_SECONDS);
    number.ok_or_else(|| format!("a number above 0, up to {MAX_SECONDS}"))
}
