//! Environment variables that carry the command's settings to the collector.

use std::ffi::CStr;

/// The profile's folder, an absolute path. Unset: nothing is collected.
pub const FOLDER: &CStr = c"ORA_PROFILE_DIR";
/// Samples per second and thread.
pub const RATE: &CStr = c"ORA_PROFILE_RATE";
/// The number of the signal that threads get. Unset: [`HARMLESS_SIGNAL`] if the kernel's events are available and for
/// rates above the kernel's tick, else [`USUAL_SIGNAL`].
pub const SIGNAL: &CStr = c"ORA_PROFILE_SIGNAL";
/// Number of processors that control groups grant; unset: they set no limit.
pub const QUOTA: &CStr = c"ORA_PROFILE_QUOTA";
/// A process's number: only its children are profiled.
pub const NO_FOLLOW: &CStr = c"ORA_PROFILE_NO_FOLLOW";

/// Variables in which launchers of parallel programs pass a process's rank and the number of ranks: Open MPI, MPICH and others through PMI,
/// PMIx, and a step of Slurm. `SLURM_NTASKS` would be that of the job: a batch script has it as well, which is not one of several ranks.
pub const RANKS: [(&CStr, &CStr); 4] = [
    (c"OMPI_COMM_WORLD_RANK", c"OMPI_COMM_WORLD_SIZE"),
    (c"PMI_RANK", c"PMI_SIZE"),
    (c"PMIX_RANK", c"PMIX_SIZE"),
    (c"SLURM_PROCID", c"SLURM_STEP_NUM_TASKS"),
];

/// The signal if none is chosen: one that programs and launchers do not use. SIGPROF is used by gprof and Python profilers,
/// and `mpirun` passes it on to all ranks.
pub const USUAL_SIGNAL: i32 = 59;
/// SIGURG: it doesn't queue, and is ignored by default.
pub const HARMLESS_SIGNAL: i32 = 23;
