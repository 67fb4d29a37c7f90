//! Who calls whom: a tree of functions.

use super::{Amount, Sums};
use crate::names;
use crate::profile::Profile;
use crate::quick::Map;

/// The tree. The first node stands for everything; a parent's number is below its children's.
#[derive(Clone, Debug)]
pub struct Tree<'p> {
    /// All nodes.
    pub nodes: Vec<TreeNode<'p>>,
}

/// A function that was called in one way.
#[derive(Clone, Debug)]
pub struct TreeNode<'p> {
    /// Its caller.
    pub parent: usize,
    /// A number in the profile's functions.
    pub function: u32,
    /// In the outlined body of a construct.
    pub construct: Option<&'p names::Construct>,
    /// Without what it calls.
    pub exclusive: Amount,
    /// With what it calls.
    pub inclusive: Amount,
    /// What it calls, the most expensive first.
    pub children: Vec<usize>,
}

impl TreeNode<'_> {
    fn new(parent: usize, function: u32) -> Self {
        let (exclusive, inclusive) = (Amount::default(), Amount::default());
        Self { parent, function, construct: None, exclusive, inclusive, children: Vec::new() }
    }
}

/// All calls of a profile, lines and addresses put together.
pub fn tree<'p>(profile: &'p Profile, sums: &Sums) -> Tree<'p> {
    let mut nodes = vec![TreeNode::new(0, u32::MAX)];
    let mut known = Map::default();
    let mut of_context = vec![0; 1];
    for (context, amount) in profile.contexts.iter().zip(&sums.contexts).skip(1) {
        let parent = of_context.get(context.parent as usize).copied().unwrap_or(0);
        let frame = profile.code.frame(context.frame).map(|(frame, _)| frame);
        let (function, construct) = frame.map_or((u32::MAX, None), |f| (f.function, f.construct.as_ref()));
        let node = *known.entry((parent, function, construct)).or_insert_with(|| {
            nodes.push(TreeNode { construct, ..TreeNode::new(parent, function) });
            nodes.len() - 1
        });
        of_context.push(node);
        nodes.get_mut(node).into_iter().for_each(|node| node.exclusive += *amount);
    }
    if let (Some(root), Some(nothing)) = (nodes.first_mut(), sums.contexts.first()) {
        root.exclusive += *nothing;
    }
    // From the leaves to the root.
    for number in (0..nodes.len()).rev() {
        let Some(node) = nodes.get_mut(number) else { continue };
        node.inclusive += node.exclusive;
        let (parent, inclusive) = (node.parent, node.inclusive);
        // A thread's start that was left out has nothing.
        if number > 0
            && !inclusive.is_nothing()
            && let Some(parent) = nodes.get_mut(parent)
        {
            parent.inclusive += inclusive;
            parent.children.push(number);
        }
    }
    let totals: Vec<u64> = nodes.iter().map(|node| node.inclusive.total_ns()).collect();
    let total = |node: &usize| std::cmp::Reverse(totals.get(*node).copied());
    nodes.iter_mut().for_each(|node| node.children.sort_by_key(|child| (total(child), *child)));
    Tree { nodes }
}
