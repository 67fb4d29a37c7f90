//! The job for programs; `report-json.md` of the command describes it.

use serde::Serialize;

use super::{Difference, Job, Rank};

/// A job, as an object of JSON.
#[derive(Debug, Serialize)]
pub struct OneJob<'a> {
    ranks: usize,
    ranks_announced: Option<u32>,
    hosts: Vec<&'a str>,
    wall_ns: u64,
    mpi_ns: Option<u64>,
    mpi_min_rank: Option<u32>,
    mpi_max_rank: Option<u32>,
    efficiency: Option<OneEfficiency>,
    differences: Vec<OneDifference>,
    by_rank: Vec<OneRank<'a>>,
}

#[derive(Debug, Serialize)]
struct OneEfficiency {
    parallel: f64,
    mpi: MpiLevel,
    openmp: OpenMpLevel,
}

#[derive(Debug, Serialize)]
struct MpiLevel {
    parallel: f64,
    load_balance: f64,
    communication: f64,
}

#[derive(Debug, Serialize)]
struct OpenMpLevel {
    parallel: f64,
}

#[derive(Debug, Serialize)]
struct OneDifference {
    rank: u32,
    figure: &'static str,
    value_ns: u64,
    median_ns: u64,
}

#[derive(Debug, Serialize)]
struct OneRank<'a> {
    rank: u32,
    pid: Option<u32>,
    host: Option<&'a str>,
    threads: u64,
    wall_ns: u64,
    mpi_ns: Option<u64>,
    useful_ns: u64,
    openmp_wait_ns: u64,
    no_processor_ns: Option<u64>,
}

impl<'a> OneJob<'a> {
    /// The object of a job.
    pub fn of(job: &'a Job) -> Self {
        let range = job.mpi_range();
        Self {
            ranks: job.ranks.len(),
            ranks_announced: job.announced,
            hosts: job.hosts(),
            wall_ns: job.wall_ns(),
            mpi_ns: job.mpi_ns(),
            mpi_min_rank: range.map(|(least, _)| least.number),
            mpi_max_rank: range.map(|(_, most)| most.number),
            efficiency: job.efficiency().map(|one| OneEfficiency {
                parallel: one.parallel,
                mpi: MpiLevel { parallel: one.mpi, load_balance: one.load_balance, communication: one.communication },
                openmp: OpenMpLevel { parallel: one.openmp },
            }),
            differences: job.differences().iter().filter_map(|one| difference(job, one)).collect(),
            by_rank: job.ranks.iter().map(one_rank).collect(),
        }
    }
}

fn difference(job: &Job, one: &Difference) -> Option<OneDifference> {
    let Difference { figure, ns, median_ns, .. } = *one;
    Some(OneDifference { rank: job.ranks.get(one.rank)?.number, figure: figure.key(), value_ns: ns, median_ns })
}

fn one_rank(rank: &Rank) -> OneRank<'_> {
    OneRank {
        rank: rank.number,
        pid: rank.pid,
        host: rank.host.as_deref(),
        threads: rank.threads,
        wall_ns: rank.wall_ns,
        mpi_ns: rank.mpi_ns,
        useful_ns: rank.useful_ns,
        openmp_wait_ns: rank.wait_ns,
        no_processor_ns: rank.ready_ns,
    }
}
