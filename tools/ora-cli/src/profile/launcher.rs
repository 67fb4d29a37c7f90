//! Which of a launcher's processes this one is.

use std::env;

/// Open MPI, MPICH and others by PMI, PMIx, Slurm.
const RANKS: [&str; 4] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"];

/// The rank, when `ora` itself was started by a launcher.
pub(crate) fn rank() -> Option<String> {
    RANKS.iter().filter_map(|name| env::var(name).ok()).find(|rank| rank.parse::<u32>().is_ok())
}
