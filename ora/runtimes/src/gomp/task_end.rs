//! What is to be done when a task is complete, in one word of its record: nothing (0); its event has to be fulfilled, too
//! (libgomp's handle of it); its siblings can't be told any more to depend on it (a [`Node`], which has the event's handle).
#![allow(unsafe_code)] // the word is a node

use ompt_core::graph::Node;

fn node(word: usize) -> Option<&'static Node> {
    // SAFETY: `word` is that of a record: even for none, `CHUNK` and libgomp's handles (addresses of aligned semaphores), and
    // odd only if it came from `Node::into_word`.
    unsafe { Node::from_word(word) }
}

/// The event that the task waits for, or 0.
pub(super) fn event(word: usize) -> usize {
    node(word).map_or(word, Node::event)
}

/// The task is complete, or dropped.
#[cold]
pub(super) fn is_complete(word: usize) {
    node(word).inspect(|node| node.end());
}
