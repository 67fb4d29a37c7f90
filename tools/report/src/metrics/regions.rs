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
    /// `None`: one thread only, or no work.
    pub imbalance: Option<Imbalance>,
}

/// How unevenly the work is shared between a process's threads; of several processes, their sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Imbalance {
    /// (max - mean) / max of the threads' work.
    pub share: f64,
    /// Barrier time that an even share would save, at most what was waited at barriers.
    pub wait_ns: u64,
    /// It is more than chance: four standard deviations of the number of samples.
    pub certain: bool,
}

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
    list.iter_mut().for_each(|region| region.imbalance = imbalance(profile, region));
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
    pub fn barrier_ns(&self) -> u64 {
        let barriers = [State::IMPLICIT_BARRIER, State::EXPLICIT_BARRIER];
        barriers.iter().filter_map(|state| self.states.get(state)).map(Amount::total_ns).sum()
    }
}

fn imbalance(profile: &Profile, region: &RegionSums) -> Option<Imbalance> {
    let mut processes: BTreeMap<u32, Vec<&Amount>> = BTreeMap::new();
    for (thread, amount) in &region.threads {
        let process = profile.threads.get(*thread as usize).map_or(0, |thread| thread.process);
        processes.entry(process).or_default().push(amount);
    }
    let (mut longest, mut means, mut missing, mut variance) = (0.0, 0.0, 0.0, 0.0);
    for threads in processes.values().filter(|threads| threads.len() > 1) {
        let works = || threads.iter().map(|amount| amount.work_ns as f64);
        let (max, mean) = (works().fold(0.0, f64::max), works().sum::<f64>() / threads.len() as f64);
        longest += max;
        means += mean;
        missing += works().map(|work| max - work).sum::<f64>();
        variance += threads.iter().map(|amount| spread(amount)).fold(0.0, f64::max);
    }
    if longest <= 0.0 {
        return None;
    }
    let barrier_ns = region.barrier_ns();
    let wait_ns = barrier_ns.min(whole(missing));
    Some(Imbalance { share: (longest - means) / longest, wait_ns, certain: longest - means > 4.0 * variance.sqrt() })
}

/// The variance of a thread's work, from the number of its samples.
fn spread(amount: &Amount) -> f64 {
    let work = amount.work_ns as f64;
    // Of all its samples those of work are about as many as their share of the time.
    let total = amount.total_ns().max(1) as f64;
    let samples = (amount.samples as f64 * work / total).max(1.0);
    work * work / samples
}

#[allow(clippy::cast_possible_truncation, reason = "what is too large becomes the largest number")]
fn whole(ns: f64) -> u64 {
    ns as u64
}
