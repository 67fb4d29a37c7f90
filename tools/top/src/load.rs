//! Figures of a process that summarize an interval.

use stat_analysis::stat::regions::whole;
use stat_analysis::stat::snapshot::{Process, Thread};
use stat_layout::stat::layout::Activity;

/// Line about a process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Load {
    /// Number of living OpenMP threads.
    pub(super) threads: usize,
    /// Processors that the whole process has used, on average.
    pub(super) used: f64,
    /// Threads that were ready without a processor, on average.
    pub(super) waiting: f64,
    /// OpenMP Work as a part of the threads' time.
    pub(super) efficiency: Option<f64>,
    /// Number of parallel regions that have started.
    pub(super) regions: u64,
    /// Mean time of those that have ended.
    pub(super) region_ns: f64,
    /// Number of explicit tasks that have started.
    pub(super) tasks: u64,
}

impl Load {
    /// Computes the load from a process's figures for some time.
    pub(super) fn of(process: &Process) -> Self {
        let wall_ns = process.who.wall_ns.max(1) as f64;
        let (ready_ns, running_ns) = (
            process.sum(|thread| thread.passed.ready_ns),
            process.cpu_ns.unwrap_or_else(|| process.sum(|thread| thread.passed.running_ns)),
        );
        let elapsed_ns = process.elapsed_ns();
        let sums = whole(&process.regions);
        Self {
            threads: process.threads.iter().filter(|thread| lives(thread)).count(),
            used: running_ns as f64 / wall_ns,
            waiting: ready_ns as f64 / wall_ns,
            efficiency: (elapsed_ns > 0).then(|| process.work_ns() as f64 / elapsed_ns as f64),
            regions: sums.count,
            region_ns: sums.mean_ns(),
            tasks: sums.tasks,
        }
    }
}

/// True for a thread that has not ended before the interval.
pub(super) fn lives(thread: &Thread) -> bool {
    thread.doing.is_some() || thread.elapsed_ns() > 0
}

/// Waits by cause, longest time first.
pub(super) fn waits(process: &Process) -> Vec<Activity> {
    let is_wait = |activity: &Activity| !matches!(activity, Activity::Work | Activity::Serial);
    let mut waits: Vec<Activity> = Activity::ALL
        .into_iter()
        .filter(is_wait)
        .filter(|activity| process.spent_ns(*activity) > 0 || process.begun(*activity) > 0)
        .collect();
    waits.sort_by_key(|activity| std::cmp::Reverse(process.spent_ns(*activity)));
    waits
}
