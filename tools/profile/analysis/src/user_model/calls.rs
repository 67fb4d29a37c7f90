//! Calling context tree: each node is a stack, namely its parent's with one more call.

use rustc_hash::FxHashMap;

use super::frames::Frame;
use super::step::Step;

/// A stack in the tree.
pub type Node = u32;
/// The empty stack.
pub const ROOT: Node = 0;

/// Maximum number of stacks of a process. A damaged recording may have a few large stacks below each other in all orders;
/// calls beyond these are left out.
const MAX_NODES: usize = 1 << 23;

/// The tree. Parents precede their children.
#[derive(Clone, Debug)]
pub struct Calls {
    /// Parent and index in `steps` of each node.
    nodes: Vec<(Node, u32)>,
    index: FxHashMap<(Node, u32), Node>,
    /// Distinct calls: there are far fewer than nodes.
    steps: Vec<Step>,
    numbers: FxHashMap<Step, u32>,
}

impl Default for Calls {
    fn default() -> Self {
        let (index, numbers) = Default::default();
        Self { nodes: vec![(ROOT, 0)], index, steps: vec![Step::Pseudo("")], numbers }
    }
}

impl Calls {
    /// The node of a stack with one more call.
    pub(super) fn below(&mut self, node: Node, step: Step) -> Node {
        let step = *self.numbers.entry(step).or_insert_with(|| {
            self.steps.push(step);
            u32::try_from(self.steps.len() - 1).unwrap_or(0)
        });
        if let Some(known) = self.index.get(&(node, step)) {
            return *known;
        }
        if self.nodes.len() >= MAX_NODES {
            return node;
        }
        let next = u32::try_from(self.nodes.len()).unwrap_or(node);
        self.nodes.push((node, step));
        self.index.insert((node, step), next);
        next
    }

    /// The node of a stack with more calls; the leaf is the first of them.
    pub(super) fn with<'f>(
        &mut self,
        node: Node,
        frames: impl DoubleEndedIterator<Item = &'f Frame>,
        era: u32,
    ) -> Node {
        frames.rev().fold(node, |node, frame| self.below(node, frame.step(era)))
    }

    /// Number of stacks, with the empty one.
    #[allow(clippy::len_without_is_empty)] // there always is the empty stack
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The parent and the last call of a stack. `None` for the empty stack.
    pub fn last(&self, node: Node) -> Option<(Node, Step)> {
        let (parent, step) = self.last_number(node)?;
        Some((parent, *self.steps.get(step as usize)?))
    }

    /// The parent of a stack and the index of its last call in [`Calls::steps`].
    pub fn last_number(&self, node: Node) -> Option<(Node, u32)> {
        self.nodes.get(node as usize).copied().filter(|_| node != ROOT)
    }

    /// All distinct calls. The first is a placeholder.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Calls of a stack, the leaf first.
    pub fn path(&self, node: Node) -> impl Iterator<Item = Step> {
        let mut node = node;
        std::iter::from_fn(move || {
            let (parent, step) = self.last(node)?;
            node = parent;
            Some(step)
        })
    }
}
