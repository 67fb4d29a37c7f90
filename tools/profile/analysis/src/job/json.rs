//! The job for programs; `report-json.md` of the command describes it.

use serde::Serialize;

use super::{Difference, Job, Rank};

/// A job.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OneJob<'a> {
    /// Number of ranks that were seen.
    ranks: usize,
    /// Number of ranks that the launcher announces; `null`: it doesn't.
    ranks_announced: Option<u32>,
    /// Names of their machines.
    hosts: Vec<&'a str>,
    /// The wall time of the rank that took longest.
    wall_ns: u64,
    /// The ranks' mean time in MPI; `null`: not known of all.
    mpi_ns: Option<u64>,
    /// The rank with the least time in MPI.
    mpi_min_rank: Option<u32>,
    /// The rank with the most time in MPI.
    mpi_max_rank: Option<u32>,
    /// The efficiencies, each between 0 and 1; `null`: `mpi_ns` is.
    efficiency: Option<OneEfficiency>,
    /// Ranks that differ from the others, the largest difference first.
    differences: Vec<OneDifference>,
    /// One object for each rank.
    by_rank: Vec<OneRank<'a>>,
}

/// Efficiency of a job.
///
/// It is the [POP project](https://pop-coe.eu/node/69)'s multiplicative form for MPI with OpenMP.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneEfficiency {
    /// The product of `mpi.parallel` and `openmp.parallel`.
    parallel: f64,
    /// The efficiency of the ranks.
    mpi: MpiLevel,
    /// The efficiency of their threads.
    openmp: OpenMpLevel,
}

/// Efficiency of ranks.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MpiLevel {
    /// The product of `load_balance` and `communication`.
    parallel: f64,
    /// The ranks' mean time outside of MPI / the longest one.
    load_balance: f64,
    /// The longest time outside of MPI / `wall_ns`.
    communication: f64,
}

/// Efficiency of threads.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OpenMpLevel {
    /// `useful_ns` of all ranks / (their threads x the mean time outside of MPI).
    parallel: f64,
}

/// A difference.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneDifference {
    /// The rank.
    rank: u32,
    /// `"outside_mpi_ns"`, or of a thread of the rank on average `"openmp_wait_ns"` or `"no_processor_ns"`.
    figure: &'static str,
    /// The rank's figure.
    value_ns: u64,
    /// The median of all ranks.
    median_ns: u64,
}

/// A rank.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneRank<'a> {
    /// Its number.
    rank: u32,
    /// Number of its process.
    pid: Option<u32>,
    /// Name of its machine.
    host: Option<&'a str>,
    /// Number of threads at a time.
    threads: u64,
    /// Its wall time.
    wall_ns: u64,
    /// Time of its first thread in MPI.
    mpi_ns: Option<u64>,
    /// Useful time of its threads.
    useful_ns: u64,
    /// OpenMP Wait of all its threads.
    openmp_wait_ns: u64,
    /// Time for which its threads were ready without a processor.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current_part::<OneJob<'_>>("job", "stat-json.md");
    }
}
