//! The summary of all runs: mean and standard deviation of each figure.

use serde::Serialize;

use super::activities::{Activities, Waits, activities, waits};
use crate::stat::figures::{Figures, Value};
use crate::stat::snapshot::{Process, Run};

/// Figures over all runs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Summary {
    /// Number of runs.
    runs: usize,
    /// Wall time.
    wall_ns: Spread,
    /// Number of regions.
    regions: Spread,
    /// Mean time of a region.
    region_mean_ns: Spread,
    /// The time of all threads by activity.
    time_ns: Activities<Spread>,
    /// CPU time.
    cpu_ns: Spread,
    /// Time on processors.
    running_ns: Spread,
    /// Time for which threads were ready without a processor.
    ready_ns: Spread,
    /// Time for which they were asleep.
    blocked_ns: Spread,
    /// Numbers of waits.
    waits: Waits<Spread>,
    /// OpenMP Work.
    openmp_work_ns: Spread,
    /// OpenMP Wait.
    openmp_wait_ns: Spread,
    /// Value of the load imbalance.
    load_imbalance: Option<Spread>,
}

/// Mean and deviation.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Spread {
    /// The mean.
    mean: f64,
    /// The standard deviation of the sample.
    standard_deviation: f64,
}

/// `None` if the collector did not run in the first process of any run.
pub(super) fn summary(runs: &[Run]) -> Option<Summary> {
    let processes: Vec<&Process> = runs.iter().filter_map(|run| run.main.as_ref()).collect();
    if processes.is_empty() {
        return None;
    }
    let figures = Figures::of(&processes);
    Some(Summary {
        runs: runs.len(),
        wall_ns: spread(Value::over(runs.iter().map(|run| run.wall_ns as f64))),
        regions: spread(figures.regions),
        region_mean_ns: spread(figures.region_ns),
        time_ns: activities(|activity| spread(figures.spent(activity))),
        cpu_ns: spread(figures.cpu_ns),
        running_ns: spread(figures.running_ns),
        ready_ns: spread(figures.ready_ns),
        blocked_ns: spread(figures.blocked_ns),
        waits: waits(|activity| spread(figures.begun(activity))),
        openmp_work_ns: spread(figures.work_ns),
        openmp_wait_ns: spread(figures.wait_ns),
        load_imbalance: figures.imbalance.map(|imbalance| spread(imbalance.share)),
    })
}

fn spread(value: Value) -> Spread {
    Spread { mean: value.mean, standard_deviation: value.deviation }
}
