//! Figures of one run under `ora stat`, as far as settings depend on them.

use advice::{Facts, Place};

/// The process with regions that has lived for longest.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its figures, its surroundings, and the variables that the user has set.
    pub facts: Facts,
    /// Time in work and serial code, of all threads.
    pub work_ns: f64,
    /// Time from its start to its end.
    pub elapsed_ns: f64,
    /// Processors that it may use, by its mask.
    pub processors_allowed: Option<u64>,
    /// True if its runtime is GNU libgomp.
    pub is_gnu: bool,
    /// Its regions.
    pub regions: Vec<SeenRegion>,
}

/// The regions with one body.
#[derive(Clone, Debug)]
pub struct SeenRegion {
    /// Their place, with its whole name.
    pub place: Place,
    /// The path of the body's file, and the body's address there.
    pub body: Option<(String, u64)>,
    /// Their wall time.
    pub total_ns: f64,
    /// The largest team.
    pub threads: u64,
    /// Chunks of loops that the runtime has handed out.
    pub chunks: u64,
}
