//! Figures of one run, as `ora stat` measures them.

use advice::{Finding, Place};

/// A run with some number of threads.
#[derive(Clone, Debug)]
pub struct Run {
    /// Wall time of the program.
    pub wall_ns: f64,
    /// The process of interest; `None`: no OpenMP was seen.
    pub subject: Option<Subject>,
}

/// A process that used OpenMP.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Wall time of the process.
    pub wall_ns: f64,
    /// Time in which it ran code of its own, of all threads.
    pub running_ns: f64,
    /// The largest team.
    pub team: u64,
    /// Its regions by place, without those inside of others.
    pub regions: Vec<Part>,
    /// Its faults, the dearest first.
    pub findings: Vec<Finding>,
}

/// The time in the regions of one place.
#[derive(Clone, Debug)]
pub struct Part {
    /// The place, whose name is for people. `None`: outside of regions.
    pub place: Option<Place>,
    /// Wall time of its regions.
    pub wall_ns: f64,
}
