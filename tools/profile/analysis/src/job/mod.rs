//! A job: the ranks that a launcher (MPI, Slurm) has started, each of which is a process with threads.
//!
//! [`mpi`] is the time in MPI, [`efficiency`] and [`differences`] follow from all ranks. [`text`] shows the job, for
//! `ora stat` as well. `gather` builds a job from a profile.

use rustc_hash::FxHashMap;
use untrusted::figure::{self, Total};

pub mod differences;
pub mod efficiency;
mod gather;
pub mod json;
pub mod mpi;
pub mod text;

#[cfg(test)]
mod gather_tests;
#[cfg(test)]
mod tests;

pub use differences::{Difference, Figure};
pub use efficiency::Efficiency;
pub use mpi::MpiTime;

/// A job of several ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// The ranks that were seen, by their numbers.
    pub ranks: Vec<Rank>,
    /// Number of ranks by the launcher, if it is known.
    pub announced: Option<u32>,
}

/// A rank. If there are several processes, the one with the most time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rank {
    /// Its number.
    pub number: u32,
    /// Its process id.
    pub pid: Option<u32>,
    /// Name of its machine.
    pub host: Option<String>,
    /// Time from its start to its end.
    pub wall_ns: u64,
    /// Time of its first thread in MPI; `None` if it is not known, or no library of MPI was loaded.
    pub mpi_ns: Option<u64>,
    /// CPU time in MPI, as far as it is known.
    pub mpi_cpu_ns: u64,
    /// CPU time in its own code: neither in an OpenMP wait nor in MPI.
    pub useful_ns: u64,
    /// Maximum number of its OpenMP threads that lived at the same time.
    pub threads: u64,
    /// OpenMP Wait of all threads.
    pub wait_ns: u64,
    /// Time of all threads ready without a processor, if it is known.
    pub ready_ns: Option<u64>,
    /// Time of its first thread in the regions of each place, without the regions inside them.
    pub places: Vec<RegionTime>,
}

/// Time in the parallel regions of one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionTime {
    /// Name of the place.
    pub name: String,
    /// Time of the thread that began them.
    pub ns: u64,
}

/// Maximum number of spans that have a moment in common. A span that starts at the end of another one has none in
/// common with it.
pub fn most_at_once(spans: impl Iterator<Item = (u64, u64)>) -> usize {
    let mut changes: Vec<(u64, bool)> = spans.flat_map(|(begin, end)| [(begin, true), (end, false)]).collect();
    changes.sort_unstable();
    let (mut now, mut most) = (0_usize, 0);
    for (_, begins) in changes {
        now = if begins { now + 1 } else { now.saturating_sub(1) };
        most = most.max(now);
    }
    most
}

impl Rank {
    /// Time outside of MPI, if it is known.
    pub fn outside_mpi_ns(&self) -> Option<u64> {
        Some(self.wall_ns.saturating_sub(self.mpi_ns?))
    }

    /// Place of regions with most of the rank's difference to the [medians](Job::medians): its name, the rank's time in it,
    /// and the median.
    pub fn costliest_place(&self, medians: &FxHashMap<&str, u64>) -> Option<(&str, u64, u64)> {
        let of = |place: &RegionTime| (place.ns, medians.get(&*place.name).copied().unwrap_or_default());
        let compared = self.places.iter().map(|place| (place.name.as_str(), of(place)));
        let (name, (ns, median_ns)) = compared.max_by_key(|(_, (ns, median_ns))| ns.saturating_sub(*median_ns))?;
        (ns > median_ns).then_some((name, ns, median_ns))
    }
}

impl Job {
    /// A job of these ranks, in any order. `None` if there are fewer than two.
    pub fn of(mut ranks: Vec<Rank>, announced: Option<u32>) -> Option<Self> {
        let spent_ns =
            |rank: &Rank| [rank.useful_ns, rank.wait_ns, rank.mpi_ns.unwrap_or_default()].into_iter().total();
        ranks.sort_by_key(|rank| (rank.number, std::cmp::Reverse((spent_ns(rank), rank.wall_ns))));
        ranks.dedup_by_key(|rank| rank.number);
        (ranks.len() > 1).then_some(Self { ranks, announced })
    }

    /// Wall time: that of the rank that took longest.
    pub fn wall_ns(&self) -> u64 {
        self.ranks.iter().map(|rank| rank.wall_ns).max().unwrap_or_default()
    }

    /// Mean time in MPI of a rank, if it is known of all.
    pub fn mpi_ns(&self) -> Option<u64> {
        let all = figure::total_if_known(self.ranks.iter().map(|rank| rank.mpi_ns))?;
        all.checked_div(self.ranks.len() as u64)
    }

    /// Ranks with the least and the most time in MPI, if that is known.
    pub fn mpi_range(&self) -> Option<(&Rank, &Rank)> {
        let known = || self.ranks.iter().filter(|rank| rank.mpi_ns.is_some());
        known().min_by_key(|rank| rank.mpi_ns).zip(known().max_by_key(|rank| rank.mpi_ns))
    }

    /// Names of the machines.
    pub fn hosts(&self) -> Vec<&str> {
        let mut hosts: Vec<&str> = self.ranks.iter().filter_map(|rank| rank.host.as_deref()).collect();
        hosts.sort_unstable();
        hosts.dedup();
        hosts
    }

    /// The efficiencies, if they are known.
    pub fn efficiency(&self) -> Option<Efficiency> {
        Efficiency::of(self)
    }

    /// Median over all ranks of the time in each place, by the place's name.
    pub fn medians(&self) -> FxHashMap<&str, u64> {
        let mut times: FxHashMap<&str, Vec<(usize, u64)>> = FxHashMap::default();
        for (rank, place) in
            self.ranks.iter().enumerate().flat_map(|(at, rank)| rank.places.iter().map(move |it| (at, it)))
        {
            let times = times.entry(&place.name).or_default();
            // The first one of a rank's places with the same name.
            if times.last().is_none_or(|(last, _)| *last != rank) {
                times.push((rank, place.ns));
            }
        }
        let median = |times: Vec<(usize, u64)>| {
            differences::median(times.into_iter().map(|(_, ns)| ns).collect(), self.ranks.len())
        };
        times.into_iter().map(|(name, times)| (name, median(times))).collect()
    }
}
