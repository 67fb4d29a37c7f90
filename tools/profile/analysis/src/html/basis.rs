//! Sums of a whole profile that the views of its page share.

use rustc_hash::FxHashMap;

use super::stacks::Merged;
use crate::metrics::RegionSums;
use crate::profile::{Profile, ready};

/// For each construct, the parts of its waits at barriers for threads that run longer, and for threads without a
/// processor.
pub(super) type Split = FxHashMap<u32, (f64, f64)>;

/// A profile with sums that all views need.
#[derive(Debug)]
pub struct Basis<'p> {
    /// The profile.
    pub(super) profile: &'p Profile,
    /// Sums by region.
    pub(super) regions: &'p [RegionSums],
    /// For each thread, the part of its time off a processor for which it was ready to run.
    pub(super) ready: Vec<f64>,
    pub(super) split: Split,
    pub(super) stacks: Merged,
}

impl<'p> Basis<'p> {
    /// The sums of a profile with these regions.
    pub fn of(profile: &'p Profile, regions: &'p [RegionSums]) -> Self {
        let parts = |region: &RegionSums| {
            let (imbalance, all) = (region.imbalance()?, region.barriers().total_ns().max(1) as f64);
            let parts = (imbalance.wait_ns as f64 / all, imbalance.no_processor_ns as f64 / all);
            Some((region.construct, (parts.0.min(1.0), parts.1.min(1.0))))
        };
        let split = regions.iter().filter_map(parts).collect();
        Self { profile, regions, ready: ready(profile), split, stacks: Merged::of(profile) }
    }
}
