//! The largest subtree below a level, at most: a cut-off there makes it one task of one thread. Totals of levels say nothing about
//! single subtrees, but the largest number of children that a task has does.

use stat_layout::tasks::layout::LEVELS;
use untrusted::figure::Total;

use super::construct::Construct;
use super::snapshot::Level;

/// Bounds for the number of children of a task.
#[derive(Clone, Debug, Default)]
pub(super) struct Branching {
    /// Of each construct, the deepest level of its tasks, and the largest number of children that one of them created.
    constructs: Vec<(u64, u64)>,
    /// Tasks below others that no construct counts as children. They may all be children of one task.
    unclaimed: u64,
}

impl Branching {
    pub(super) fn of(constructs: &[Construct], levels: &[Level]) -> Self {
        let below_others = levels.iter().skip(1).map(|level| level.created).total();
        let claimed = constructs.iter().map(|construct| construct.children).total();
        Self {
            constructs: constructs.iter().map(|construct| (construct.depth_max, construct.children_max)).collect(),
            unclaimed: below_others.saturating_sub(claimed),
        }
    }

    /// The most children that a task of a level has.
    fn most(&self, level: usize) -> u64 {
        let there = self.constructs.iter().filter(|(deepest, _)| *deepest >= level as u64);
        there.map(|(_, most)| *most).max().unwrap_or(0).max(self.unclaimed)
    }

    fn deepest(&self) -> u64 {
        self.constructs.iter().map(|(deepest, _)| *deepest).max().unwrap_or(0)
    }
}

/// The most that the subtree of one task of a level can have of the work of all levels.
pub(super) fn largest_part(levels: &[Level], level: usize, branching: &Branching) -> f64 {
    let all_ns: f64 = levels.iter().map(Level::steady_ns).sum();
    let (mut tasks, mut most_ns) = (1.0, 0.0);
    for (it, number) in levels.iter().zip(1..).skip(level.saturating_sub(1)) {
        // The last level stands for deeper ones as well, all of which may be in one subtree.
        let several = number == LEVELS && branching.deepest() > LEVELS as u64;
        // A product of many large numbers may be infinite.
        let part = if several { 1.0 } else { (tasks / it.created as f64).min(1.0) };
        most_ns += it.steady_ns() * part;
        tasks *= branching.most(number) as f64;
        if tasks == 0.0 {
            break;
        }
    }
    if all_ns > 0.0 { most_ns / all_ns } else { 1.0 }
}

#[cfg(test)]
impl Branching {
    /// Tasks up to a level, which have at most this number of children.
    pub(super) fn at_most(most: u64, deepest: u64) -> Self {
        Self { constructs: vec![(deepest, most)], unclaimed: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::histogram::Histogram;
    use super::*;

    /// Levels with these numbers of tasks, of 10 ns.
    fn levels(created: impl IntoIterator<Item = u64>) -> Vec<Level> {
        let level = |created: u64| Level {
            created,
            executed: created,
            execution_ns: created as f64 * 10.0,
            executions: Histogram::of(&[(9.5, 0), (10.5, created)]),
            ..Level::default()
        };
        created.into_iter().map(level).collect()
    }

    #[test]
    fn subtrees_of_a_full_tree_are_equal() {
        let all = levels((1..=10).map(|level| 1 << level));
        let part = largest_part(&all, 4, &Branching::at_most(2, 10));
        assert!((part - (2.0_f64.powi(7) - 1.0) / 2046.0).abs() < 1e-9, "{part}");
    }

    #[test]
    fn a_chain_may_be_one_subtree() {
        // Each event has eight messages and the next event.
        let chain = levels([9; 50]);
        assert!(largest_part(&chain, 10, &Branching::at_most(9, 50)) > 0.8);
        assert!(largest_part(&chain, 49, &Branching::at_most(9, 50)) < 0.03);
    }

    #[test]
    fn levels_that_are_not_told_apart_may_be_in_one_subtree() {
        let mut created = [4000; LEVELS];
        created[LEVELS - 1] = 4_000_000;
        let all = levels(created);
        for level in [1, 30, LEVELS - 1] {
            assert!(largest_part(&all, level, &Branching::at_most(8, 1573)) > 0.9);
        }
        assert!(largest_part(&all, LEVELS - 1, &Branching::at_most(8, LEVELS as u64)) < 0.01);
        assert!(largest_part(&all, 1, &Branching::at_most(u64::MAX, 1573)) > 0.9);
    }

    #[test]
    fn tasks_without_a_known_parent_may_be_in_one_subtree() {
        let all = levels([16, 1000]);
        let mut branching = Branching::at_most(2, 2);
        assert!(largest_part(&all, 1, &branching) < 0.01);
        branching.unclaimed = 900;
        assert!(largest_part(&all, 1, &branching) > 0.8);
    }
}
