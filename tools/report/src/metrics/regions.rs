//! What parallel regions cost, and how evenly their work is shared.

use std::collections::BTreeMap;

use super::{Amount, Sums};
use crate::profile::{OUTSIDE, Profile};
use crate::quick::Map;
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
}

/// How unevenly the work is shared. All threads of a team meet at its barriers, so what they wait there is what the longest
/// part of the work takes longer than the others; whichever thread had it, and however often threads are replaced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Imbalance {
    /// Barriers / (work + barriers); of one instance that is (max - mean) / max of the threads' work.
    pub share: f64,
    /// The barriers, which even shares would save.
    pub wait_ns: u64,
    /// More than chance: four standard deviations of the number of samples.
    pub certain: bool,
}

/// So many samples are four of their standard deviations.
const CERTAIN: u64 = 16;

/// All regions, the most expensive one first.
pub fn regions(profile: &Profile, sums: &Sums) -> Vec<RegionSums> {
    let mut found: Map<u32, RegionSums> = Map::default();
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
        }
    }

    /// Time at barriers, without regions inside.
    pub fn barriers(&self) -> Amount {
        let mut barriers = Amount::default();
        let states = [State::IMPLICIT_BARRIER, State::EXPLICIT_BARRIER];
        states.iter().filter_map(|state| self.states.get(state)).for_each(|amount| barriers += *amount);
        barriers
    }

    /// `None`: one thread only, or no work.
    pub fn imbalance(&self) -> Option<Imbalance> {
        let (work_ns, barriers) = (self.exclusive.work_ns, self.barriers());
        let wait_ns = barriers.total_ns();
        (self.threads.len() > 1 && work_ns > 0).then(|| Imbalance {
            share: wait_ns as f64 / (work_ns as f64 + wait_ns as f64),
            wait_ns,
            certain: barriers.samples >= CERTAIN,
        })
    }
}
