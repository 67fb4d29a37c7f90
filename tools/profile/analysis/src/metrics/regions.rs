//! Cost of parallel regions, and the distribution of their work.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::imbalance::{Imbalance, imbalances, is_barrier};
use super::{Amount, Sums};
use crate::profile::{OUTSIDE, Profile};
use crate::state::State;

/// Sums of a region of the program's text over all its instances.
#[derive(Clone, Debug)]
pub struct RegionSums {
    /// Index in the profile's constructs.
    pub construct: u32,
    /// Sum without enclosed regions.
    pub exclusive: Amount,
    /// Sum with enclosed regions; a sample counts once, even if the region encloses itself.
    pub inclusive: Amount,
    /// Sums by state, without enclosed regions.
    pub states: BTreeMap<State, Amount>,
    /// Sums by thread, without enclosed regions.
    pub threads: BTreeMap<u32, Amount>,
    imbalance: Option<Imbalance>,
}

/// All regions, the most expensive one first.
pub fn regions(profile: &Profile, sums: &Sums) -> Vec<RegionSums> {
    let mut found: FxHashMap<u32, RegionSums> = FxHashMap::default();
    for ((nest, thread, state), amount) in &sums.cells {
        let mut seen = Vec::new();
        for (depth, construct) in profile.constructs(*nest).enumerate() {
            if *nest == OUTSIDE || seen.contains(&construct) {
                continue;
            }
            seen.push(construct);
            let region = found.entry(construct).or_insert_with(|| RegionSums::new(construct));
            region.inclusive += *amount;
            if depth == 0 {
                region.exclusive += *amount;
                *region.states.entry(*state).or_default() += *amount;
                *region.threads.entry(*thread).or_default() += *amount;
            }
        }
    }
    let imbalances = imbalances(profile);
    found.values_mut().for_each(|region| region.imbalance = imbalances.get(&region.construct).copied());
    let mut list: Vec<RegionSums> = found.into_values().collect();
    list.sort_by_key(|region| (std::cmp::Reverse(region.exclusive.total_ns()), region.construct));
    list
}

impl RegionSums {
    fn new(construct: u32) -> Self {
        Self {
            construct,
            exclusive: Amount::default(),
            inclusive: Amount::default(),
            states: BTreeMap::new(),
            threads: BTreeMap::new(),
            imbalance: None,
        }
    }

    /// Time at barriers, without enclosed regions.
    pub fn barriers(&self) -> Amount {
        let mut barriers = Amount::default();
        self.states.iter().filter(|(state, _)| is_barrier(**state)).for_each(|(_, amount)| barriers += *amount);
        barriers
    }

    /// Imbalance of the region. `None`: one thread only, or no work.
    pub fn imbalance(&self) -> Option<Imbalance> {
        self.imbalance.filter(|_| self.threads.len() > 1 && self.exclusive.work_ns > 0)
    }
}
