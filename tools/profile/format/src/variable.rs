//! Environment variables that carry the command's settings to the collector.

use std::ffi::CStr;

/// The profile's folder, an absolute path. Unset: nothing is collected.
pub const FOLDER: &CStr = c"ORA_PROFILE_DIR";
/// Samples a second and thread.
pub const RATE: &CStr = c"ORA_PROFILE_RATE";
/// The number of the signal that threads get. Unset: [`HARMLESS_SIGNAL`] where the kernel's events are to be had and for
/// rates above the kernel's tick, else [`USUAL_SIGNAL`].
pub const SIGNAL: &CStr = c"ORA_PROFILE_SIGNAL";
/// Number of processors that control groups grant; unset: they set no limit.
pub const QUOTA: &CStr = c"ORA_PROFILE_QUOTA";
/// A process's number: only its children are profiled.
pub const NO_FOLLOW: &CStr = c"ORA_PROFILE_NO_FOLLOW";

/// The signal, where none is chosen: one that programs and launchers have no use for. SIGPROF is gprof's, Python profilers',
/// and one that `mpirun` passes on to all ranks.
pub const USUAL_SIGNAL: i32 = 59;
/// SIGURG: one that doesn't queue, and by default is ignored.
pub const HARMLESS_SIGNAL: i32 = 23;
