//! Options of the commands that record a run: `ora profile` and `ora trace`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args as Group, ValueEnum};
use terminal::screen::Screen;

use super::signal::{self, Chosen};
use super::{USUAL_RATE, duration, help};

#[derive(Debug, Group)]
#[command(after_help = help::PROFILE)]
pub(crate) struct Profile {
    /// Samples of each thread, per second of its CPU time
    #[arg(short = 'F', long = "rate", value_name = "HZ", default_value_t = USUAL_RATE, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) rate: u32,
    /// Clock of the samples: there is CPU time only
    #[arg(long, value_name = "CLOCK", hide = true)]
    pub(crate) clock: Option<Clock>,
    /// Signal that interrupts threads: a name or a number [default: URG for perf events, else 59]
    #[arg(long, value_name = "SIG", value_parser = signal::chosen)]
    pub(crate) signal: Option<Chosen>,
    /// Ignore processes that the program starts
    #[arg(long)]
    pub(crate) no_follow: bool,
    /// Write the profile to DIR; %r: rank, %p: process of ora, %h: host
    /// [default: ora-profile, or ora-profile.2 and so on]
    #[arg(short, long, value_name = "DIR", verbatim_doc_comment)]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) screen: Screen,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

#[derive(Debug, Group)]
#[command(after_help = help::TRACE)]
pub(crate) struct Trace {
    /// Kinds of events: regions (and implicit tasks), sync (barriers, taskwaits, taskgroups), tasks,
    /// locks (also critical, atomic and ordered regions), work (work-sharing and masked regions)
    /// [default: regions,sync,tasks,locks]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "regions,sync,tasks,locks",
        hide_possible_values = true,
        hide_default_value = true,
        verbatim_doc_comment
    )]
    pub(crate) events: Vec<Events>,
    /// Flight recorder: keep only the newest events, of a period such as 10s or 500ms
    #[arg(long, value_name = "TIME", value_parser = duration::duration)]
    pub(crate) last: Option<std::time::Duration>,
    /// Flight recorder: keep only the events during regions that take at least this time, such as 50ms
    #[arg(long, value_name = "TIME", value_parser = duration::duration)]
    pub(crate) slow: Option<std::time::Duration>,
    /// Also sample the call stack of each thread HZ times a second, as `ora profile` does
    #[arg(long, value_name = "HZ", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) sample: Option<u32>,
    /// Signal that interrupts threads: a name or a number [default: URG for perf events, else 59]
    #[arg(long, value_name = "SIG", requires = "sample", value_parser = signal::chosen)]
    pub(crate) signal: Option<Chosen>,
    /// Copy what the process PID, which runs under `ora trace`, has recorded so far
    #[arg(long, value_name = "PID", conflicts_with_all = ["events", "last", "slow", "sample", "no_follow", "program"])]
    pub(crate) dump: Option<u32>,
    /// Ignore processes that the program starts
    #[arg(long)]
    pub(crate) no_follow: bool,
    /// Write the trace to DIR; %r: rank, %p: process of ora, %h: host
    /// [default: ora-trace, or ora-trace.2 and so on]
    #[arg(short, long, value_name = "DIR", verbatim_doc_comment)]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) screen: Screen,
    /// The program and its arguments
    #[arg(required_unless_present = "dump", trailing_var_arg = true, value_name = "PROGRAM")]
    pub(crate) program: Vec<OsString>,
}

/// Kind of events in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Events {
    /// Parallel regions and implicit tasks
    Regions,
    /// Barriers, taskwaits, taskgroups
    Sync,
    /// Explicit tasks and their dependences
    Tasks,
    /// Locks, critical sections, atomic updates, ordered regions
    Locks,
    /// Work-sharing and masked regions
    Work,
}

/// A clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Clock {
    /// CPU time
    Cpu,
    /// Wall-clock time, which is refused
    Wall,
}
