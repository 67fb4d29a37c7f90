//! Efficiencies of a job, in the multiplicative hybrid form of the POP project (<https://pop-coe.eu/node/69>).
//!
//! | factor | is | below 1 |
//! |---|---|---|
//! | parallel | useful time / (threads x wall time) | the product of those below |
//! | load balance | the ranks' mean time outside of MPI / the longest one | some ranks have less to do |
//! | communication | the longest time outside of MPI / wall time | ranks wait in turn, or for the network |
//! | OpenMP | useful time / (threads x time outside of MPI) | threads wait while their rank computes |
//!
//! Useful is CPU time of the program's code outside of MPI and of OpenMP's waits.

use super::Job;
use untrusted::figure::Total;

/// The efficiencies of a job, each of them between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Efficiency {
    /// All levels together.
    pub parallel: f64,
    /// The level of MPI: load balance times communication.
    pub mpi: f64,
    /// Evenness of the ranks' time outside of MPI: the mean, as a part of the longest one.
    pub load_balance: f64,
    /// Share of the wall time in which the rank with the most to do is outside of MPI.
    pub communication: f64,
    /// The level of OpenMP.
    pub openmp: f64,
}

impl Efficiency {
    /// `None`: the time in MPI of a rank is not known, or nothing ran.
    pub(super) fn of(job: &Job) -> Option<Self> {
        let outside: Vec<u64> = job.ranks.iter().map(|rank| rank.outside_mpi_ns()).collect::<Option<_>>()?;
        let wall_ns = job.wall_ns() as f64;
        let longest_ns = outside.iter().copied().max()? as f64;
        let mean_ns = outside.iter().copied().total() as f64 / outside.len() as f64;
        let threads = job.ranks.iter().map(|rank| rank.threads).total() as f64;
        let useful_ns = job.ranks.iter().map(|rank| rank.useful_ns).total() as f64;
        if longest_ns == 0.0 || threads == 0.0 {
            return None;
        }
        let (load_balance, communication) = (mean_ns / longest_ns, longest_ns / wall_ns);
        // By samples: their sum may be a little more than there is.
        let openmp = (useful_ns / threads / mean_ns).min(1.0);
        let mpi = load_balance * communication;
        Some(Self { parallel: mpi * openmp, mpi, load_balance, communication, openmp })
    }
}
