//! Threads over time.

use serde::Serialize;

use crate::Resolution;

/// The timeline of a process. Times are nanoseconds since its beginning.
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
    /// Names of slices, each once.
    pub names: Vec<String>,
    /// The longest slices, in the order of threads and beginnings.
    pub slices: Vec<NamedSlice>,
    /// The longest waits of which the other side is known, the longest first.
    pub waits: Vec<WaitFor>,
}

/// Thread, beginning, length, depth, and the index of the name.
pub type NamedSlice = (u32, u64, u64, u16, usize);

/// Thread that waits, beginning, length; thread that it waits for, and the moment at which that came.
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
