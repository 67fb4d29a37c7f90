//! The flame graph: stacks with their times.

use profile_analysis::out::{Clock, Tree, Weighted};
use rustc_hash::FxHashMap;
use serde::Serialize;
use untrusted::figure::Total;

/// Most stacks that are drawn, of all processes: those with the most time.
const MOST: usize = 3000;

/// Stacks of a process.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Flame {
    total_ns: u64,
    /// Names of functions and waits, each once.
    names: Vec<String>,
    /// For each stack the one that it extends (-1: none), the name of its last frame, and the time of it and what it calls.
    stacks: Vec<(i64, usize, u64)>,
}

/// The stacks of these samples, of one of so many processes.
pub(super) fn of(samples: &[Weighted<'_>], processes: usize) -> Flame {
    let tree = Tree::of(samples.iter().copied(), Clock::Wall);
    let mut names = Vec::new();
    let mut known = FxHashMap::default();
    let stacks = tree.largest(MOST / processes.max(1)).into_iter().map(|it| {
        let name = *known.entry(it.name.to_owned()).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() - 1
        });
        (it.parent.and_then(|parent| i64::try_from(parent).ok()).unwrap_or(-1), name, it.all_ns)
    });
    let stacks: Vec<_> = stacks.collect();
    let total_ns = stacks.iter().filter(|(parent, ..)| *parent < 0).map(|(.., ns)| *ns).total();
    Flame { total_ns, names, stacks }
}
