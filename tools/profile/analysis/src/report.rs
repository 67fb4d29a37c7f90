//! The report: a profile with all sums, for any kind of output.

use ::advice::{Finding, excluded, findings};

use crate::facts::{self, Figures};
use crate::job::Job;
use crate::metrics::{Attributed, Cause, Outside, RegionSums, Sums, Tree, causes, functions, lines, regions, tree};
use crate::profile::Profile;

/// Minimum number of samples for any finding.
const SAMPLES: u64 = 50;
/// Number of samples below which even large shares are chance, so that nothing is excluded.
pub(crate) const MIN_SAMPLES: u64 = 100;

/// A profile with its sums and findings.
#[derive(Clone, Debug)]
pub struct Report<'p> {
    /// The profile.
    pub profile: &'p Profile,
    /// Sums by stack, thread, state and cause.
    pub sums: Sums,
    /// Sums by function, the most expensive one first.
    pub functions: Vec<Attributed<u32>>,
    /// Sums by line, the most expensive one first.
    pub lines: Vec<Attributed<(&'p str, u32)>>,
    /// The call tree.
    pub tree: Tree<'p>,
    /// Sums by region, the most expensive one first.
    pub regions: Vec<RegionSums>,
    /// Waits by cause, the most expensive one first.
    pub causes: Vec<Cause>,
    /// The job, if the processes are ranks of one.
    pub job: Option<Job>,
    /// Threads outside of OpenMP.
    pub outside: Outside,
    /// Findings, the most important one first.
    pub findings: Vec<Finding>,
    /// The causes that the figures exclude, if no finding is about the program itself.
    pub excluded: Option<String>,
    /// Lifetimes of all processes, with which savings are compared.
    pub wall_ns: f64,
}

impl<'p> Report<'p> {
    /// Computes the report of a profile.
    pub fn of(profile: &'p Profile) -> Self {
        let sums = Sums::of(profile);
        let (functions, regions, causes) = (functions(profile, &sums), regions(profile, &sums), causes(profile, &sums));
        let outside = Outside::of(profile);
        let outside_ns = outside.total.cpu_ns;
        let figures = Figures { profile, sums: &sums, regions: &regions, causes: &causes, outside_ns };
        let facts = facts::of(&figures);
        let (findings, excluded) = if sums.total.samples >= SAMPLES {
            let found = findings(&facts);
            let excluded = excluded(&facts, &found).filter(|_| sums.total.samples >= MIN_SAMPLES);
            (found, excluded)
        } else {
            (Vec::new(), None)
        };
        Self {
            profile,
            functions,
            lines: lines(profile, &sums),
            tree: tree(profile, &sums),
            regions,
            causes,
            job: Job::of_profile(profile, &sums),
            outside,
            findings,
            excluded,
            wall_ns: facts.wall_ns,
            sums,
        }
    }
}
