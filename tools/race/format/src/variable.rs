//! Environment variables by which the command tells the detector what to do.

/// The folder for the processes' files. Without it the detector does nothing.
pub const FOLDER: &str = "ORA_RACE_DIR";
/// Seed of a run, a number: it varies which of the former accesses ThreadSanitizer forgets.
pub const SEED: &str = "ORA_RACE_SEED";
/// `0`, `1` or `auto`: are chunks of loops and sections concurrent where one thread has run them?
pub const CHUNKS: &str = "ORA_RACE_CHUNKS";
/// Number of teams of a league in a target region that names none; without it, or with 0, the runtime's own.
pub const TEAMS: &str = "ORA_RACE_TEAMS";
/// `1`: ThreadSanitizer's own reports are printed, too.
pub const RAW: &str = "ORA_RACE_RAW";
/// Exit code of a process with sure races; 0: its own.
pub const EXIT_CODE: &str = "ORA_RACE_EXITCODE";
