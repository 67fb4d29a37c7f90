//! Threads outside OpenMP: a program's own, and the pools of libraries.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use untrusted::figure;

use super::Amount;
use crate::profile::Profile;

/// Sums of such threads. Their time is in none of the other sums.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// Sum of all of them. It is not OpenMP Work, although the field is called `work_ns`.
    pub total: Amount,
    /// Time for which they slept.
    pub asleep_ns: u64,
    /// Sums by thread, those with the most CPU time first.
    pub threads: Vec<(u32, Amount)>,
    /// Start function of each thread that was seen running: it identifies a library's pool.
    pub begun_in: BTreeMap<u32, u32>,
    /// Sums by the function at the leaf, those with the most CPU time first.
    pub functions: Vec<(u32, Amount)>,
}

impl Outside {
    /// Sums of a profile's threads outside of OpenMP.
    pub fn of(profile: &Profile) -> Self {
        let (mut outside, mut functions) = (Self::default(), FxHashMap::<u32, Amount>::default());
        let none = |(thread, _): &(u32, _)| (*thread, Amount::default());
        let threads = (0..).zip(&profile.threads).filter(|(_, thread)| thread.outside);
        let mut threads: FxHashMap<u32, Amount> = threads.map(|thread| none(&thread)).collect();
        let mut ends: FxHashMap<u32, (Option<u32>, Option<u32>)> = FxHashMap::default();
        for point in &profile.outside {
            outside.total += point;
            outside.asleep_ns = figure::sum(outside.asleep_ns, if point.asleep { point.wall_ns } else { 0 });
            *threads.entry(point.thread).or_default() += point;
            let (leaf, root) = *ends.entry(point.context).or_insert_with(|| {
                let mut frames = profile.frames(point.context).filter_map(|frame| profile.code.frame(frame)).peekable();
                let leaf = frames.peek().map(|(frame, _)| frame.function);
                let root = frames.last().filter(|(_, function)| !function.is_pseudo());
                (leaf, root.map(|(frame, _)| frame.function))
            });
            if let Some(root) = root {
                outside.begun_in.entry(point.thread).or_insert(root);
            }
            if let Some(leaf) = leaf {
                *functions.entry(leaf).or_default() += point;
            }
        }
        outside.threads = sorted(threads);
        outside.functions = sorted(functions);
        outside
    }
}

fn sorted(of: FxHashMap<u32, Amount>) -> Vec<(u32, Amount)> {
    let mut list: Vec<_> = of.into_iter().collect();
    list.sort_by_key(|(number, amount)| (Reverse((amount.cpu_ns, amount.total_ns())), *number));
    list
}
