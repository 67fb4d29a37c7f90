//! The summary of all runs: mean and standard deviation of each figure.

use serde::Serialize;

use super::activities::{Activities, Waits, activities, waits};
use crate::stat::figures::{Figures, Value};
use crate::stat::snapshot::{Process, Run};

/// Over all runs, of their first processes.
#[derive(Serialize)]
pub(super) struct Summary {
    runs: usize,
    wall_ns: Spread,
    regions: Spread,
    region_mean_ns: Spread,
    time_ns: Activities<Spread>,
    cpu_ns: Spread,
    running_ns: Spread,
    ready_ns: Spread,
    blocked_ns: Spread,
    waits: Waits<Spread>,
    openmp_work_ns: Spread,
    openmp_wait_ns: Spread,
    load_imbalance: Option<Spread>,
}

#[derive(Serialize)]
struct Spread {
    mean: f64,
    standard_deviation: f64,
}

/// `None`: the collector ran in no first process.
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
