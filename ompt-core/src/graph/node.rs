//! Node of a task in the graph. It is owned by the task until that ends, and by every list that contains it (reference
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
    /// The id of the last task that was reported as dependent on this one. Used by the thread that creates both.
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
    /// The adapter's word that was given at the creation.
    pub fn event(&self) -> usize {
        self.event.load(Relaxed)
    }

    /// Ends the task: no dependence on it is reported any more. Called once; afterwards the task doesn't own the node.
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

    /// True if the dependence of the task with this id has not been reported yet.
    pub(super) fn is_news_to(&self, task: u64) -> bool {
        self.last.swap(task, Relaxed) != task
    }

    /// Adds an owner: a list that contains the node.
    pub(super) fn own(&self) {
        self.owners.fetch_add(1, Relaxed);
    }

    /// Removes an owner; true if that was the last one.
    pub(super) fn disown(&self) -> bool {
        // Release: pairs with the Acquire of the last owner's `disown`, which gives the node back: each owner's last access happens-before
        // the node belongs to another task.
        self.owners.fetch_sub(1, AcqRel) == 1
    }
}

/// A pinned node, whose task doesn't end while this value lives.
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
    #[inline(always)] // so that the compiler sees that it doesn't unwind
    fn drop(&mut self) {
        self.0.pin.give_back();
    }
}
