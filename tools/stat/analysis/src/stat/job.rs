//! The job of a launcher (`mpirun`, `srun`): its ranks, with the time that each spends in MPI.
//!
//! MPI calls don't raise events of the collector, so the profiler is preloaded as well. The session is the collector's. The
//! profiler's samples show stacks with frames of MPI, and contain the numbers of the ranks.

use std::path::Path;

use profile_analysis::input::{self, Libraries, folders};
use profile_analysis::job::{Job, MpiTime, Rank, RegionTime};
use stat_layout::stat::layout::Activity;
use untrusted::figure::{self, Total};

use super::snapshot::{Process, Run};

/// The job of a run whose samples are in this folder. `None`: there are fewer than two ranks, or they left no
/// samples.
pub fn job(run: &Run, samples: &Path) -> Option<Job> {
    let processes = || run.main.iter().chain(&run.others);
    let folders = folders(&[samples.to_owned()]).ok()?;
    let (mut ranks, mut announced, mut libraries) = (Vec::new(), None, Libraries::default());
    for sampled in folders.iter().filter_map(|folder| input::Process::open(folder, &mut libraries).ok()) {
        let pid = sampled.facts.pid;
        let counted = processes().rfind(|process| Some(process.who.pid) == pid && process.used_openmp());
        ranks.extend(rank(&sampled, counted));
        announced = announced.max(sampled.facts.ranks);
    }
    Job::of(ranks, announced)
}

/// The figures of a rank: from the collector if it counted the process, else from samples.
fn rank(sampled: &input::Process, counted: Option<&Process>) -> Option<Rank> {
    let facts = &sampled.facts;
    let first = sampled.threads.first()?.number;
    let mpi = MpiTime::of(sampled, &sampled.samples, |thread| thread.number == first);
    let mpi_cpu_ns = mpi.map_or(0, |mpi| mpi.cpu_ns);
    let sampled_rank = Rank {
        number: facts.rank?,
        pid: facts.pid,
        host: facts.host.clone(),
        mpi_ns: mpi.map(|mpi| mpi.wall_ns),
        mpi_cpu_ns,
        ..Rank::default()
    };
    let Some(process) = counted else {
        let of_first = sampled.samples.iter().filter(|sample| sample.thread == first);
        let (begun_ns, ended_ns) = sampled.span_ns();
        return Some(Rank {
            wall_ns: ended_ns.saturating_sub(begun_ns),
            useful_ns: of_first.map(|sample| sample.cpu_ns).total().saturating_sub(mpi_cpu_ns),
            threads: 1,
            ..sampled_rank
        });
    };
    let useful_ns = process.sum(|thread| figure::sum(thread.ran(Activity::Work), thread.ran(Activity::Serial)));
    let outermost = process.regions.iter().filter(|region| region.sums.nested < region.sums.count);
    Some(Rank {
        wall_ns: process.who.wall_ns,
        useful_ns: useful_ns.saturating_sub(mpi_cpu_ns),
        threads: process.team_threads as u64,
        wait_ns: process.elapsed_ns().saturating_sub(process.work_ns()),
        ready_ns: Some(process.sum(|thread| thread.passed.ready_ns)),
        places: outermost.map(|region| RegionTime { name: region.place.name(), ns: region.sums.total_ns }).collect(),
        ..sampled_rank
    })
}
