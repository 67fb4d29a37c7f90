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
    /// The process's number
    #[arg(value_name = "PID", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pid: u32,
    /// Table or recording to make: that of `ora stat`, `ora tasks`, `ora profile` or `ora trace`
    #[arg(value_name = "WHAT", default_value = "stat")]
    pub(crate) what: Watch,
    /// Watch for so long, in seconds [default: until Ctrl-C, or the process's end]
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub(crate) seconds: Option<f64>,
    /// Write one JSON object (keys: share/doc/ora/stat-json.md, tasks-json.md) in place of the table
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the table to FILE in place of stdout, or a recording to the folder FILE in place of ora-profile or ora-trace; %r is the
    /// rank, %p the process of ora, %h the machine
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Of a profile: samples in a second, of each thread [default: 100]
    #[arg(short = 'F', long = "rate", value_name = "HZ", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) rate: Option<u32>,
    /// Of a profile: the signal that interrupts threads, a name or a number [default: URG for perf events, else 59]
    #[arg(long, value_name = "SIG", value_parser = super::signal::chosen)]
    pub(crate) signal: Option<super::Chosen>,
    /// Of a trace: kinds of events to record [default: regions,sync,tasks,locks]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) events: Vec<Events>,
    /// Rows for threads: a number, or `all`
    #[arg(long, value_name = "N", default_value = "32", value_parser = rows)]
    pub(crate) rows: usize,
    /// Attach also to a process under a seccomp filter, such as that of a container
    #[arg(long)]
    pub(crate) allow_seccomp: bool,
    #[command(flatten)]
    pub(crate) screen: Screen,
}

#[derive(Debug, Group)]
#[command(after_help = help::TOP)]
pub(crate) struct Top {
    /// The process: its number, or the name of its program [default: a list of yours that use OpenMP]
    #[arg(value_name = "PID|NAME", conflicts_with = "program")]
    pub(crate) process: Option<String>,
    /// Time between two looks, in seconds
    #[arg(long, value_name = "N", default_value = "1", value_parser = seconds)]
    interval: f64,
    /// Write text, one look after another, in place of the screen
    #[arg(long)]
    pub(crate) batch: bool,
    /// End after so many looks; implies --batch
    #[arg(short = 'n', long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) count: Option<u32>,
    /// Write one JSON object a look (keys: share/doc/ora/top-json.md), a line each
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE in place of stdout; implies --batch; %r is the rank, %p the process of ora, %h the machine
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Rows for threads: a number, or `all`
    #[arg(long, value_name = "N", default_value = "32", value_parser = rows)]
    pub(crate) rows: usize,
    /// Attach also to a process under a seccomp filter, such as that of a container
    #[arg(long)]
    pub(crate) allow_seccomp: bool,
    #[command(flatten)]
    pub(crate) screen: Screen,
    /// A program to start, and its arguments
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
    /// The process's number
    #[arg(value_name = "PID", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pid: u32,
    /// Time between two looks, in milliseconds: a thread that has run meanwhile doesn't hang
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    pub(crate) between: u64,
    /// Write one JSON object (keys: share/doc/ora/hang-json.md) in place of the text
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to FILE in place of stdout; %r is the rank, %p the process of ora, %h the machine
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
