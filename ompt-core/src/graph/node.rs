//! Node of a task in the graph. It belongs to the task until that ends, and to every list that it is in (reference
//! count).

use super::pool::{Linked, Pool};
use crate::task::Task;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use system::memory::Link;
use system::memory::ReaderPin;

/// A task with dependences.
pub struct Node {
    pin: ReaderPin,
    owners: AtomicU32,
    task: Link<Task>,
    /// See [`Deferral`](super::Deferral).
    event: AtomicUsize,
    /// The id of the last task that was reported as dependent on this one. For the thread that creates both.
    last: AtomicU64,
    next: Link<Node>,
}

system::zeroed!(Node { pin, owners, task, event, last, next });

impl Linked for Node {
    fn next(&self) -> &Link<Self> {
        &self.next
    }
}

/// Nodes that were returned by threads which ended a task of another thread.
static RETURNED: Link<Node> = Link::none();

/// A node for a new task.
pub(super) fn take(unused: &Pool<Node>, task: &'static Task, event: usize) -> Option<&'static Node> {
    let node = unused.take_unused().or_else(|| {
        unused.refill(RETURNED.take());
        unused.take()
    })?;
    node.task.set(Some(task));
    node.event.store(event, Relaxed);
    node.last.store(0, Relaxed);
    node.owners.store(1, Relaxed);
    node.pin.renew();
    Some(node)
}

impl Node {
    /// The adapter's word, which was given at the creation.
    pub fn event(&self) -> usize {
        self.event.load(Relaxed)
    }

    /// Ends the task: no dependence on it is reported any more. To be called once; the node doesn't belong to the task
    /// any more.
    pub fn end(&'static self) {
        self.pin.end();
        if self.disown() {
            while !{
                let first = RETURNED.get();
                self.next.set(first);
                RETURNED.replace(first, self)
            } {}
        }
    }

    /// True if the task is complete.
    pub(super) fn is_over(&self) -> bool {
        self.pin.is_over()
    }

    /// True if the dependence of the task of this id has not been reported yet.
    pub(super) fn is_news_to(&self, task: u64) -> bool {
        self.last.swap(task, Relaxed) != task
    }

    /// Adds an owner: a list that has the node.
    pub(super) fn own(&self) {
        self.owners.fetch_add(1, Relaxed);
    }

    /// Removes an owner; true if that was the last one.
    pub(super) fn disown(&self) -> bool {
        // Release: pairs with the Acquire of the last owner's `disown`, who gives the node back: each owner's last access
        // happens-before the node is another task's.
        self.owners.fetch_sub(1, AcqRel) == 1
    }
}

/// A pinned node, whose task doesn't end while this lives.
pub(super) struct Held(&'static Node, &'static Task);

impl Held {
    /// `None` if the task is complete.
    pub(super) fn new(node: &'static Node) -> Option<Self> {
        let task = node.task.get()?;
        node.pin.take().then_some(Self(node, task))
    }

    pub(super) fn task(&self) -> &'static Task {
        self.1
    }
}

impl Drop for Held {
    #[inline(always)] // so that it is seen not to unwind
    fn drop(&mut self) {
        self.0.pin.give_back();
    }
}
