//! Prefix tree of stacks of names.

use rustc_hash::FxHashMap;
use untrusted::figure::sum;

use super::{Clock, FrameName, Weighted};
use terminal::printable;

/// The tree. A parent's number is below its children's; the first node is the empty stack.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Names, with characters replaced that a line can't contain.
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    parent: u32,
    /// Index in the tree's names.
    name: u32,
    /// Time of this stack alone.
    own_ns: u64,
    /// Time of this stack and of those that extend it.
    all_ns: u64,
}

impl Tree {
    /// Builds the tree from stacks with their times by a clock.
    pub(super) fn of<'a>(stacks: impl IntoIterator<Item = Weighted<'a>>, clock: Clock) -> Self {
        let mut tree = Self { nodes: vec![Node::default()], names: Vec::new() };
        // Equal stacks are often the same, equal frames nearly always.
        let (mut places, mut index, mut known) = (FxHashMap::default(), FxHashMap::default(), Known::default());
        for stack in stacks {
            let place = (stack.frames.as_ptr() as usize, stack.frames.len());
            let node = *places.entry(place).or_insert_with(|| {
                stack.frames.iter().fold(0, |parent, frame| {
                    let name = known.number(frame, &mut tree.names);
                    *index.entry((parent, name)).or_insert_with(|| {
                        tree.nodes.push(Node { parent, name, ..Node::default() });
                        u32::try_from(tree.nodes.len() - 1).unwrap_or(0)
                    })
                })
            });
            tree.nodes
                .get_mut(node as usize)
                .into_iter()
                .for_each(|node| node.own_ns = sum(node.own_ns, clock.of(&stack)));
        }
        for number in (0..tree.nodes.len()).rev() {
            let Some(node) = tree.nodes.get_mut(number) else { continue };
            node.all_ns = sum(node.all_ns, node.own_ns);
            let (parent, all) = (node.parent, node.all_ns);
            if number > 0 {
                tree.nodes
                    .get_mut(parent as usize)
                    .into_iter()
                    .for_each(|parent| parent.all_ns = sum(parent.all_ns, all));
            }
        }
        tree
    }

    /// The time of all stacks that have frames.
    pub(super) fn total_ns(&self) -> u64 {
        self.nodes.first().map_or(0, |root| root.all_ns.saturating_sub(root.own_ns))
    }

    /// A line for each stack with its microseconds, ordered by name; less than half a microsecond is left out. A stack
    /// with less than `least_ns`, its extensions included, is counted in its parent.
    pub(super) fn lines(&self, least_ns: u64) -> Vec<(String, u64)> {
        let mut own: Vec<u64> = self.nodes.iter().map(|node| node.own_ns).collect();
        for (number, node) in self.nodes.iter().enumerate().skip(1).rev() {
            // The parts of its children have already been added.
            let outside = node.parent == 0;
            if node.all_ns < least_ns && !outside {
                let moved = own.get_mut(number).map_or(0, std::mem::take);
                own.get_mut(node.parent as usize).into_iter().for_each(|parent| *parent = sum(*parent, moved));
            }
        }
        let with_time = (1..).zip(own.into_iter().skip(1)).map(|(number, ns)| (number, ns.saturating_add(500) / 1000));
        let mut lines: Vec<(String, u64)> =
            with_time.filter(|(_, us)| *us > 0).map(|(number, us)| (self.line(number), us)).collect();
        lines.sort_unstable();
        lines
    }

    fn line(&self, number: u32) -> String {
        let mut path = Vec::new();
        let mut next = number;
        while let Some(node) = self.nodes.get(next as usize).filter(|_| next > 0) {
            path.extend(self.names.get(node.name as usize).map(String::as_str));
            next = node.parent;
        }
        path.reverse();
        path.join(";")
    }
}

/// Numbers of names.
#[derive(Default)]
struct Known {
    by_place: FxHashMap<usize, u32>,
    by_name: FxHashMap<String, u32>,
}

impl Known {
    fn number(&mut self, frame: &FrameName, names: &mut Vec<String>) -> u32 {
        *self.by_place.entry(std::ptr::from_ref(frame) as usize).or_insert_with(|| {
            let name = printable::frame(&frame.function);
            *self.by_name.entry(name).or_insert_with_key(|name| {
                names.push(name.clone());
                u32::try_from(names.len() - 1).unwrap_or(0)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::out::tests::{frames, weighted};

    #[test]
    fn small_stacks_are_counted_where_they_come_from() {
        let [main, work, small, smaller, other] =
            [&["main"][..], &["main", "work"], &["main", "work", "a"], &["main", "work", "a", "b"], &["other"]]
                .map(frames);
        let stacks = [
            weighted(&main, 1_000_000, 0),
            weighted(&smaller, 2_000, 0),
            weighted(&work, 90_000, 0),
            weighted(&small, 3_000, 0),
            weighted(&other, 1_000, 0),
        ];
        let tree = Tree::of(stacks, Clock::Wall);
        let lines = |least| tree.lines(least).iter().map(|(line, us)| format!("{line} {us}")).collect::<Vec<_>>();
        assert_eq!(tree.total_ns(), 1_096_000);
        assert_eq!(lines(0), ["main 1000", "main;work 90", "main;work;a 3", "main;work;a;b 2", "other 1"]);
        assert_eq!(lines(2_001), ["main 1000", "main;work 90", "main;work;a 5", "other 1"]);
        assert_eq!(lines(5_001), ["main 1000", "main;work 95", "other 1"], "what has no caller stays");
    }
}
