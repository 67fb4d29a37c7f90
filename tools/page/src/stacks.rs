//! Stacks with their times by piece of time, from which the page computes the sums that the reader selects.

use std::collections::BTreeMap;

use serde::Serialize;

/// Maximum number of stacks of all processes of a page; those with the most time are kept.
const MAX_NODES: usize = 3000;
/// Maximum number of times of stacks by piece, of all processes of a page.
const MAX_TIMES: usize = 30_000;
/// Maximum number of pieces that a run is divided into.
const MAX_PIECES: u64 = 256;

/// Time of a stack.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Index of the stack among the nodes that [`Stacks::of`] gets.
    pub node: u32,
    /// Index of its region's row.
    pub region: Option<usize>,
    /// Start, in nanoseconds since that of the run.
    pub begin_ns: u64,
    /// Length.
    pub ns: u64,
}

/// The stacks of a process.
#[derive(Debug, Default, Serialize)]
pub struct Stacks {
    /// Names of functions and waits, each with the index of its row, or -1: those of [`Stacks::nodes`] only.
    names: Vec<(String, i64)>,
    /// For each stack, the one that it extends (-1 if none), and the name of its last frame.
    nodes: Vec<(i64, u32)>,
    /// Number of pieces that the run is divided into.
    pieces: u64,
    /// A stack, the row of its region (-1 if none), and pairs: distance to the preceding piece, and microseconds.
    samples: Vec<(usize, i64, Vec<u64>)>,
}

impl Stacks {
    /// Packs the samples of a run of this length. Each of `nodes` consists of the index of the extended stack and that of the name; callers
    /// precede callees. `name`: a name, with the index of its row or -1.
    pub fn of(
        name: impl Fn(u32) -> (String, i64),
        nodes: &[(Option<u32>, u32)],
        samples: &[Sample],
        length_ns: u64,
        processes: usize,
    ) -> Self {
        let kept = largest(nodes, samples, MAX_NODES / processes.max(1));
        let mut pieces = MAX_PIECES;
        let sums = loop {
            let sums = by_piece(&kept, samples, length_ns.div_ceil(pieces).max(1), pieces);
            if pieces == 1 || sums.len() <= MAX_TIMES / processes.max(1) {
                break sums;
            }
            pieces /= 2;
        };
        let mut numbers = BTreeMap::new();
        let mut packed: Vec<(i64, u32)> = Vec::new();
        let (mut names, mut of_name) = (Vec::new(), BTreeMap::new());
        for (at, node) in (0..).zip(nodes).filter(|(at, _)| kept.get(*at as usize) == Some(&Some(*at))) {
            let parent = node.0.and_then(|parent| numbers.get(&parent)).map_or(-1, |parent| *parent);
            numbers.insert(at, signed(packed.len()));
            let name = of_name.entry(node.1).or_insert_with_key(|number| {
                names.push(name(*number));
                u32::try_from(names.len() - 1).unwrap_or(0)
            });
            packed.push((parent, *name));
        }
        let mut out: Vec<(usize, i64, Vec<u64>)> = Vec::new();
        // For the stack being written: nanoseconds so far, and the preceding piece. This makes the rounded times add up.
        let mut last: Option<((u32, i64), u64, u64)> = None;
        for ((node, region, piece), ns) in sums {
            let Some(number) = numbers.get(&node).and_then(|number| usize::try_from(*number).ok()) else { continue };
            let (before_ns, before) = match last {
                Some((same, ns, piece)) if same == (node, region) => (ns, piece),
                _ => {
                    out.push((number, region, Vec::new()));
                    (0, 0)
                }
            };
            let until_ns = before_ns.saturating_add(ns);
            last = Some(((node, region), until_ns, piece));
            if let Some((.., times)) = out.last_mut() {
                times.extend([piece - before, rounded(until_ns) - rounded(before_ns)]);
            }
        }
        Self { names, nodes: packed, pieces, samples: out }
    }

    /// True if there are no stacks.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// For each node, itself if it is among the `most` with the most time, or otherwise the nearest such node below it.
fn largest(nodes: &[(Option<u32>, u32)], samples: &[Sample], most: usize) -> Vec<Option<u32>> {
    let mut all_ns = vec![0_u64; nodes.len()];
    for sample in samples {
        all_ns.get_mut(sample.node as usize).into_iter().for_each(|ns| *ns = ns.saturating_add(sample.ns));
    }
    for at in (0..nodes.len()).rev() {
        let ns = all_ns.get(at).copied().unwrap_or(0);
        let parent = nodes.get(at).and_then(|node| all_ns.get_mut(node.0? as usize));
        parent.into_iter().for_each(|parent| *parent = parent.saturating_add(ns));
    }
    // A stack has at least the time of one that extends it, and a lower number.
    let mut order: Vec<u32> = (0..).zip(&all_ns).filter(|(_, ns)| **ns > 0).map(|(at, _)| at).collect();
    order.sort_by_key(|at| std::cmp::Reverse(all_ns.get(*at as usize).copied()));
    order.truncate(most);
    let mut kept: Vec<Option<u32>> = vec![None; nodes.len()];
    for at in order {
        kept.get_mut(at as usize).into_iter().for_each(|kept| *kept = Some(at));
    }
    for at in 0..nodes.len() {
        if kept.get(at) == Some(&None) {
            let parent = nodes.get(at).and_then(|node| *kept.get(node.0? as usize)?);
            kept.get_mut(at).into_iter().for_each(|kept| *kept = parent);
        }
    }
    kept
}

/// Times by stack, region and piece of this length.
fn by_piece(kept: &[Option<u32>], samples: &[Sample], piece_ns: u64, pieces: u64) -> BTreeMap<(u32, i64, u64), u64> {
    let mut sums: BTreeMap<(u32, i64, u64), u64> = BTreeMap::new();
    for sample in samples {
        let Some(Some(node)) = kept.get(sample.node as usize) else { continue };
        let region = sample.region.map_or(-1, signed);
        let (mut at, end) = (sample.begin_ns, sample.begin_ns.saturating_add(sample.ns));
        while at < end {
            let piece = (at / piece_ns).min(pieces - 1);
            let until = if piece == pieces - 1 { end } else { ((piece + 1) * piece_ns).min(end) };
            let sum = sums.entry((*node, region, piece)).or_default();
            *sum = sum.saturating_add(until - at);
            at = until;
        }
    }
    sums
}

/// Rounds to microseconds.
fn rounded(ns: u64) -> u64 {
    ns.saturating_add(500) / 1000
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: u32) -> (String, i64) {
        (format!("f{number}"), i64::from(number))
    }

    #[test]
    fn times_are_kept_by_piece_and_by_region() {
        let nodes = [(None, 0), (Some(0), 1)];
        let sample = |node, region, begin_ns, ns| Sample { node, region, begin_ns, ns };
        let samples = [sample(0, None, 0, 1_000_000), sample(1, Some(2), 1_000_000, 1_000_000)];
        let stacks = Stacks::of(name, &nodes, &samples, 256_000_000, 1);
        assert_eq!(stacks.nodes, [(-1, 0), (0, 1)]);
        assert_eq!(stacks.samples, [(0, -1, vec![0, 1000]), (1, 2, vec![1, 1000])]);
        // A sample that crosses a boundary is in both pieces.
        let stacks = Stacks::of(name, &nodes, &[sample(1, None, 1_500_000, 1_000_000)], 256_000_000, 1);
        assert_eq!(stacks.samples, [(1, -1, vec![1, 500, 1, 500])]);
    }

    #[test]
    fn names_without_a_stack_are_left_out() {
        let samples = [Sample { node: 1, region: None, begin_ns: 0, ns: 1_000_000 }];
        let stacks = Stacks::of(name, &[(None, 7), (None, 9), (None, 8)], &samples, 256_000_000, 1);
        assert_eq!((stacks.names, stacks.nodes), (vec![("f9".to_owned(), 9)], vec![(-1, 0)]));
    }

    #[test]
    fn the_smallest_stacks_are_counted_where_they_come_from() {
        let nodes: Vec<(Option<u32>, u32)> =
            (0..4000_u32).map(|at| (at.checked_sub(1).map(|_| 0), at.min(1))).collect();
        let samples: Vec<Sample> =
            (1..4000).map(|node| Sample { node, region: None, begin_ns: 0, ns: 1000 * u64::from(node) }).collect();
        let stacks = Stacks::of(name, &nodes, &samples, 1_000_000_000, 1);
        assert_eq!(stacks.nodes.len(), MAX_NODES);
        let all: u64 = stacks.samples.iter().flat_map(|(.., times)| times.chunks(2).map(|pair| pair[1])).sum();
        assert_eq!(all, (1..4000).sum::<u64>());
    }
}
