//! Spans of addresses by time: objects may have replaced each other at the same addresses.

use std::iter::successors;

/// Spans of addresses, each since some time. Where several are at an address, the latest one is there.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    /// Addresses at which a span starts or ends: between them are pieces, which are the leaves of a segment tree.
    cuts: Vec<u64>,
    /// Nodes of the tree, each with the time and index of the spans that cover all of it, but not all of its parent.
    /// Node `n` has the children `2 * n` and `2 * n + 1`.
    nodes: Vec<Vec<(u64, usize)>>,
}

impl Spans {
    /// Creates the look-up from the start, end and time of each span.
    pub fn new(spans: impl IntoIterator<Item = (u64, u64, u64)>) -> Self {
        let spans = (0..).zip(spans).map(|(number, (start, end, since_ns))| (since_ns, number, start, end));
        let mut spans: Vec<(u64, usize, u64, u64)> = spans.collect();
        spans.sort_unstable();
        let mut cuts: Vec<u64> = spans.iter().flat_map(|(.., start, end)| [*start, *end]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut nodes = vec![Vec::new(); 2 * cuts.len()];
        for (since_ns, number, start, end) in spans {
            let leaf = |address| cuts.len() + cuts.partition_point(|cut| *cut < address);
            let (mut first, mut end) = (leaf(start), leaf(end));
            let mut add = |node: usize| nodes.get_mut(node).into_iter().for_each(|node| node.push((since_ns, number)));
            while first < end {
                if !first.is_multiple_of(2) {
                    add(first);
                    first += 1;
                }
                if !end.is_multiple_of(2) {
                    end -= 1;
                    add(end);
                }
                (first, end) = (first / 2, end / 2);
            }
        }
        Self { cuts, nodes }
    }

    /// Index of the latest span at an address that was there at a time; if there was none yet, of the first one to come.
    pub fn at(&self, address: u64, at_ns: u64) -> Option<usize> {
        let piece = self.cuts.partition_point(|cut| *cut <= address).checked_sub(1)?;
        let path = || successors(Some(self.cuts.len() + piece), |node| Some(node / 2).filter(|parent| *parent > 0));
        let nodes = || path().filter_map(|node| self.nodes.get(node));
        let there = |node: &Vec<(u64, usize)>| {
            let later = node.partition_point(|(since_ns, _)| *since_ns <= at_ns);
            node.get(later.checked_sub(1)?).copied()
        };
        let first = || nodes().filter_map(|node| node.first().copied()).min();
        nodes().filter_map(there).max().or_else(first).map(|(_, number)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_finds_what_a_search_of_all_spans_finds() {
        let mut random = 1_u64;
        let mut below = |most: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % most
        };
        for count in [0, 1, 2, 3, 7, 40] {
            // Also spans that are empty or end before they start, and equal times.
            let spans: Vec<_> = (0..count).map(|_| (below(60), below(60), below(20))).collect();
            let found = Spans::new(spans.iter().copied());
            for (address, at_ns) in (0..61).flat_map(|address| (0..21).map(move |at_ns| (address, at_ns))) {
                let there = || (0..).zip(&spans).filter(|(_, (start, end, _))| (*start..*end).contains(&address));
                let since = |(number, span): &(usize, &(u64, u64, u64))| (span.2, *number);
                let latest = there().filter(|(_, span)| span.2 <= at_ns).max_by_key(since);
                let wanted = latest.or_else(|| there().min_by_key(since)).map(|(number, _)| number);
                assert_eq!(found.at(address, at_ns), wanted, "{address} at {at_ns} in {spans:?}");
            }
        }
    }

    #[test]
    fn thousands_of_spans_in_one_place_take_no_memory_by_their_square() {
        let count = 1 << 14;
        let spans = Spans::new((0..count).map(|at| (at, 2 * count - at, at)));
        assert!(spans.nodes.iter().map(Vec::len).sum::<usize>() < 1 << 19);
        assert_eq!((spans.at(count, u64::MAX), spans.at(100, u64::MAX)), (Some((1 << 14) - 1), Some(100)));
    }
}
