//! Environment variables by which the command configures the detector.

/// The folder for the processes' files. Without it the detector does nothing.
pub const FOLDER: &str = "ORA_RACE_DIR";
/// Seed of a run, a number: it varies which of the earlier accesses ThreadSanitizer forgets.
pub const SEED: &str = "ORA_RACE_SEED";
/// `0`, `1` or `auto`: whether chunks of loops and sections are concurrent if one thread has run them.
pub const CHUNKS: &str = "ORA_RACE_CHUNKS";
/// Number of teams of a league in a target region that names none; without it, or with 0, the runtime's own.
pub const TEAMS: &str = "ORA_RACE_TEAMS";
/// `1`: ThreadSanitizer's own reports are also printed.
pub const RAW: &str = "ORA_RACE_RAW";
/// Exit code of a process with sure races; 0 for its own.
pub const EXIT_CODE: &str = "ORA_RACE_EXITCODE";
