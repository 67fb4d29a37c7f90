//! What parallel regions cost, and how evenly their work is shared.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::imbalance::{Imbalance, imbalances, is_barrier};
use super::{Amount, Sums};
use crate::profile::{OUTSIDE, Profile};
use crate::state::State;

/// A region of the program's text, all its instances together.
#[derive(Clone, Debug)]
pub struct RegionSums {
    /// A number in the profile's constructs.
    pub construct: u32,
    /// Without regions inside.
    pub exclusive: Amount,
    /// With regions inside, once however often it lies in itself.
    pub inclusive: Amount,
    /// By state, without regions inside.
    pub states: BTreeMap<State, Amount>,
    /// By thread, without regions inside.
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

    /// Time at barriers, without regions inside.
    pub fn barriers(&self) -> Amount {
        let mut barriers = Amount::default();
        self.states.iter().filter(|(state, _)| is_barrier(**state)).for_each(|(_, amount)| barriers += *amount);
        barriers
    }

    /// `None`: one thread only, or no work.
    pub fn imbalance(&self) -> Option<Imbalance> {
        self.imbalance.filter(|_| self.threads.len() > 1 && self.exclusive.work_ns > 0)
    }
}
