//! The ranks of a profile.

use std::collections::BTreeMap;

use super::{Job, Rank, RegionTime, most_at_once};
use crate::describe;
use crate::metrics::Sums;
use crate::profile::{OUTSIDE, ProcessFacts, Profile, ThreadFacts};
use untrusted::figure;

/// Sums of a process.
#[derive(Clone, Debug, Default)]
struct OfProcess {
    wait_ns: u64,
    work_cpu_ns: u64,
    places: BTreeMap<u32, u64>,
}

impl Job {
    /// The job to which a profile belongs. `None` if it has fewer than two ranks.
    pub fn of_profile(profile: &Profile, sums: &Sums) -> Option<Self> {
        if profile.processes.iter().filter(|process| process.facts.rank.is_some()).count() < 2 {
            return None;
        }
        let (mut found, mut firsts) = (vec![OfProcess::default(); profile.processes.len()], Vec::new());
        let mut threads: Vec<Vec<&ThreadFacts>> = vec![Vec::new(); profile.processes.len()];
        for (number, thread) in (0..).zip(&profile.threads) {
            let Some(list) = threads.get_mut(thread.process as usize) else { continue };
            if list.is_empty() {
                firsts.push(number);
            }
            list.push(thread);
        }
        for ((nest, thread, state), amount) in &sums.cells {
            let process = profile.threads.get(*thread as usize).map(|thread| thread.process as usize);
            let Some(process) = process.and_then(|process| found.get_mut(process)) else { continue };
            process.wait_ns = figure::sum(process.wait_ns, amount.wait_ns);
            process.work_cpu_ns = figure::sum(process.work_cpu_ns, if state.waits() { 0 } else { amount.cpu_ns });
            let place = profile.nests.get(*nest as usize).filter(|_| *nest != OUTSIDE).map(|nest| nest.construct);
            if let Some(place) = place.filter(|_| firsts.binary_search(thread).is_ok()) {
                let ns = process.places.entry(place).or_default();
                *ns = figure::sum(*ns, amount.total_ns());
            }
        }
        let all = profile.processes.iter().zip(found).zip(&threads);
        let ranks = all.filter_map(|((process, sums), threads)| rank(profile, process, sums, threads)).collect();
        let announced = profile.processes.iter().filter_map(|process| process.facts.ranks).max();
        Self::of(ranks, announced)
    }
}

fn rank(profile: &Profile, process: &ProcessFacts, sums: OfProcess, threads: &[&ThreadFacts]) -> Option<Rank> {
    let inside = || threads.iter().filter(|thread| !thread.outside && thread.samples > 0);
    Some(Rank {
        number: process.facts.rank?,
        pid: process.facts.pid,
        host: process.facts.host.clone(),
        wall_ns: process.ended_ns.saturating_sub(process.begun_ns),
        mpi_ns: process.mpi.map(|mpi| mpi.wall_ns),
        mpi_cpu_ns: process.mpi.map_or(0, |mpi| mpi.cpu_ns),
        useful_ns: sums.work_cpu_ns.saturating_sub(process.mpi.map_or(0, |mpi| mpi.cpu_ns)),
        threads: most_at_once(
            inside().filter(|it| it.in_teams).map(|one| (one.begun_ns, one.ended_ns.unwrap_or(process.ended_ns))),
        ) as u64,
        wait_ns: sums.wait_ns,
        ready_ns: figure::total_if_known(inside().map(|thread| thread.ready_ns)),
        places: sums
            .places
            .into_iter()
            .map(|(construct, ns)| RegionTime { name: describe::region(&profile.code, construct), ns })
            .collect(),
    })
}
