//! Figures of one run under `ora stat` on which the choice of settings depends.

use advice::{Facts, Place};

/// The process with regions that lived longest.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its figures, its surroundings, and the variables that the user has set.
    pub facts: Facts,
    /// Time of all threads in work and serial code.
    pub work_ns: f64,
    /// Time from its start to its end.
    pub elapsed_ns: f64,
    /// Number of processors that it may use, according to its affinity mask.
    pub processors_allowed: Option<u64>,
    /// True if its runtime is GNU libgomp.
    pub is_gnu: bool,
    /// Its regions.
    pub regions: Vec<SeenRegion>,
}

impl Seen {
    /// Size of the largest team.
    pub(crate) fn team(&self) -> u64 {
        self.facts.regions.iter().map(|region| region.threads).max().unwrap_or(1)
    }
}

/// Regions with the same body.
#[derive(Clone, Debug)]
pub struct SeenRegion {
    /// Place of the regions, with its full name.
    pub place: Place,
    /// Path of the body's file, and the body's address in it.
    pub body: Option<(String, u64)>,
    /// Wall time of the regions.
    pub total_ns: f64,
    /// The largest team.
    pub threads: u64,
    /// Number of chunks of loops that the runtime has handed out.
    pub chunks: u64,
}
