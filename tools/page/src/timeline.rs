//! Threads over time.

use serde::Serialize;

use crate::Resolution;

/// Timeline of a process. Times are nanoseconds since its start.
#[derive(Debug, Default, Serialize)]
pub struct Timeline {
    /// Length of the run.
    pub length_ns: u64,
    /// Names of the threads.
    pub threads: Vec<String>,
    /// States of threads, at most eight.
    pub states: Vec<State>,
    /// States over time, from the coarsest resolution to the finest.
    pub resolutions: Vec<Resolution>,
    /// Names of slices, each of them once.
    pub names: Vec<String>,
    /// Longest slices, in the order of threads and start times.
    pub slices: Vec<NamedSlice>,
    /// Longest waits whose other side is known, longest first.
    pub waits: Vec<WaitFor>,
}

/// Thread, start, length, depth, and the index of the name.
pub type NamedSlice = (u32, u64, u64, u16, usize);

/// Waiting thread, start, length; thread that it waits for, and the moment at which that one arrived.
pub type WaitFor = (u32, u64, u64, u32, u64);

/// A state of threads, with the time that they spent in it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct State {
    /// Name of the state.
    pub name: &'static str,
    /// Time of all threads.
    pub ns: u64,
    /// True for a wait.
    pub waits: bool,
}
