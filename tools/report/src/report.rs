//! All that is shown of a profile, whoever shows it.

use crate::advice::{Advice, advice};
use crate::metrics::{Attributed, Cause, Outside, RegionSums, Sums, Tree, causes, functions, lines, regions, tree};
use crate::profile::Profile;

/// A profile, with what it adds up to.
#[derive(Clone, Debug)]
pub struct Report<'p> {
    /// Whom it is about.
    pub profile: &'p Profile,
    /// Sums.
    pub sums: Sums,
    /// The most expensive one first.
    pub functions: Vec<Attributed<u32>>,
    /// The most expensive one first.
    pub lines: Vec<Attributed<(&'p str, u32)>>,
    /// Who calls whom.
    pub tree: Tree<'p>,
    /// The most expensive one first.
    pub regions: Vec<RegionSums>,
    /// The most expensive one first.
    pub causes: Vec<Cause>,
    /// Threads that have nothing to do with OpenMP.
    pub outside: Outside,
    /// The most important one first.
    pub advice: Vec<Advice>,
}

impl<'p> Report<'p> {
    /// Of a profile.
    pub fn of(profile: &'p Profile) -> Self {
        let sums = Sums::of(profile);
        let mut report = Self {
            profile,
            functions: functions(profile, &sums),
            lines: lines(profile, &sums),
            tree: tree(profile, &sums),
            regions: regions(profile, &sums),
            causes: causes(profile, &sums),
            outside: Outside::of(profile),
            advice: Vec::new(),
            sums,
        };
        report.advice = advice(&report);
        report
    }
}
