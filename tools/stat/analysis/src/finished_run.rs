//! Facts about a run that are not in the memory of its collector.

use stat_layout::clock::monotonic_ns;
use stat_layout::ticks::{Moment, Pace, Source};

use crate::exit::Exit;

/// Exit status, times and clock of a run.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRun {
    /// The program's end.
    pub exit: Exit,
    /// Its start, by the monotonic clock.
    pub start_ns: u64,
    /// Its end, by the monotonic clock.
    pub end_ns: u64,
    /// CPU time of the program and of those that it started and waited for.
    pub cpu_ns: u64,
    /// Pace of the clock that the collector reads.
    pub pace: Pace,
}

impl FinishedRun {
    /// A run that is still in progress, from its start until now. Its pace is unknown: only tasks have times in
    /// ticks.
    pub fn so_far(start_ns: u64, cpu_ns: u64) -> Self {
        let now = Moment::now(Source::best());
        Self { exit: Exit::Code(0), start_ns, end_ns: monotonic_ns(), cpu_ns, pace: Pace::between(now, now) }
    }
}
