//! Call tree: a tree of functions.

use std::cmp::Reverse;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{Amount, Sums};
use crate::profile::Profile;
use symbols;

/// The tree. The first node is the root; parents precede their children.
#[derive(Clone, Debug)]
pub struct Tree<'p> {
    /// All nodes.
    pub nodes: Vec<TreeNode<'p>>,
    /// Children of all nodes, those of one node consecutively.
    children: Vec<u32>,
}

impl Tree<'_> {
    /// Children of a node, the most expensive one first.
    pub fn children(&self, number: usize) -> impl DoubleEndedIterator<Item = usize> {
        let range = self.nodes.get(number).map_or(0..0, |node| node.children.clone());
        let children = self.children.get(range.start as usize..range.end as usize).unwrap_or_default();
        children.iter().map(|child| *child as usize)
    }
}

/// A function in one calling context.
#[derive(Clone, Debug)]
pub struct TreeNode<'p> {
    /// Number of the caller's node.
    pub parent: u32,
    /// Index in the profile's functions.
    pub function: u32,
    /// The construct whose outlined body the function is, if it is one.
    pub construct: Option<&'p symbols::Construct>,
    /// True for a function that calls itself: its recursive calls are counted in this node.
    pub recursive: bool,
    /// Time without callees.
    pub exclusive: Amount,
    /// Time with callees.
    pub inclusive: Amount,
    /// Range in the list of children.
    children: Range<u32>,
}

impl TreeNode<'_> {
    fn new(parent: u32, function: u32) -> Self {
        let (exclusive, inclusive) = (Amount::default(), Amount::default());
        Self { parent, function, construct: None, recursive: false, exclusive, inclusive, children: 0..0 }
    }
}

/// Builds the tree of a profile. Lines and addresses of a function are merged, and so are its calls of itself.
pub fn tree<'p>(profile: &'p Profile, sums: &Sums) -> Tree<'p> {
    let mut nodes = vec![TreeNode::new(0, u32::MAX)];
    let mut known = FxHashMap::default();
    let rows = rows(profile);
    let (mut of_context, mut row_of) = (vec![0; 1], vec![u32::MAX]);
    for (context, amount) in profile.contexts.iter().zip(&sums.contexts).skip(1) {
        let parent = of_context.get(context.parent as usize).copied().unwrap_or(0);
        let (function, construct, row) =
            rows.get(context.frame as usize).copied().unwrap_or((u32::MAX, None, u32::MAX));
        if row_of.get(parent as usize) == Some(&row) {
            if let Some(node) = nodes.get_mut(parent as usize) {
                node.recursive = true;
                node.exclusive += *amount;
            }
            of_context.push(parent);
            continue;
        }
        let node = *known.entry((parent, row)).or_insert_with(|| {
            row_of.push(row);
            nodes.push(TreeNode { construct, ..TreeNode::new(parent, function) });
            u32::try_from(nodes.len() - 1).unwrap_or(0)
        });
        of_context.push(node);
        nodes.get_mut(node as usize).into_iter().for_each(|node| node.exclusive += *amount);
    }
    if let (Some(root), Some(nothing)) = (nodes.first_mut(), sums.contexts.first()) {
        root.exclusive += *nothing;
    }
    // From the leaves to the root.
    for number in (0..nodes.len()).rev() {
        let Some(node) = nodes.get_mut(number) else { continue };
        node.inclusive += node.exclusive;
        let (parent, inclusive) = (node.parent, node.inclusive);
        if number > 0
            && let Some(parent) = nodes.get_mut(parent as usize)
        {
            parent.inclusive += inclusive;
        }
    }
    let children = children(&mut nodes);
    Tree { nodes, children }
}

/// For each frame: function, construct, and a number shared by frames of the same function and construct.
fn rows(profile: &Profile) -> Vec<(u32, Option<&symbols::Construct>, u32)> {
    let mut known = FxHashMap::default();
    let mut rows = Vec::with_capacity(profile.code.frames().len());
    for frame in profile.code.frames() {
        let (function, construct) = (frame.function, frame.construct.as_ref());
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
        rows.push((function, construct, *known.entry((function, construct)).or_insert(next)));
    }
    rows
}

/// Sorts the nodes by parent, the most expensive child of each first.
fn children(nodes: &mut [TreeNode<'_>]) -> Vec<u32> {
    // A thread's start that was left out doesn't have times.
    let with_time = |(_, node): &(u32, &TreeNode<'_>)| !node.inclusive.is_nothing();
    let mut list: Vec<(u32, Reverse<u64>, u32)> = (0..)
        .zip(nodes.iter())
        .skip(1)
        .filter(with_time)
        .map(|(number, node)| (node.parent, Reverse(node.inclusive.total_ns()), number))
        .collect();
    list.sort_unstable();
    for ((parent, ..), place) in list.iter().zip(0..) {
        if let Some(parent) = nodes.get_mut(*parent as usize) {
            let begin = if parent.children.is_empty() { place } else { parent.children.start };
            parent.children = begin..place + 1;
        }
    }
    list.into_iter().map(|(_, _, number)| number).collect()
}
