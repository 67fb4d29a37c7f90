//! Figures of one run, as `ora stat` measures them.

use advice::{Finding, Place};

/// Run with some number of threads.
#[derive(Clone, Debug)]
pub struct Run {
    /// Wall time of the program.
    pub wall_ns: f64,
    /// The process of interest; `None` if no OpenMP was seen.
    pub subject: Option<Subject>,
}

/// Process that used OpenMP.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Wall time of the process, without what watching has added and without its end in the kernel.
    pub wall_ns: f64,
    /// Time for which all threads together ran the program's own code.
    pub running_ns: f64,
    /// The part of the threads' time during which they were ready to run and had no processor.
    pub without_processor: f64,
    /// For each place of regions, the largest team; in ascending order.
    pub teams: Vec<u64>,
    /// Its regions by place, without nested ones.
    pub regions: Vec<Part>,
    /// Its faults, most expensive first.
    pub findings: Vec<Finding>,
}

/// Time in the regions of one place.
#[derive(Clone, Debug)]
pub struct Part {
    /// The place, whose name is for people; `None` for code outside of regions.
    pub place: Option<Place>,
    /// Wall time of its regions.
    pub wall_ns: f64,
}
