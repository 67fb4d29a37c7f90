//! The variables that tasks depend on, by parent and address.

use super::group::{Groups, Member};
use super::node::Node;
use super::pool::{Linked, Pool};
use super::{BOTH, class, joins};
use crate::detail::DependenceKind;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use system::memory::Link;

/// A variable that children of one task depend on.
pub(super) struct Place {
    parent: AtomicU64,
    variable: AtomicU64,
    /// The new task that depends on the variable, and the class of that dependence; 0 after it has been handled.
    task: AtomicU64,
    noted: AtomicU32,
    /// The class in which the last group uses the variable.
    class: AtomicU32,
    last: Link<Member>,
    before: Link<Member>,
    next: Link<Place>,
}

system::zeroed!(Place { parent, variable, task, noted, class, last, before, next });

impl Linked for Place {
    fn next(&self) -> &Link<Self> {
        &self.next
    }
}

impl Place {
    /// Records one of the new task's dependences on the variable.
    pub(super) fn note(&self, task: u64, kind: DependenceKind) {
        let class = class(kind);
        let (before, noted) = (self.task.swap(task, Relaxed), self.noted.load(Relaxed));
        self.noted.store(if before == task && noted != class { BOTH } else { class }, Relaxed);
    }

    /// The class of all dependences of the new task on the variable. Returned once only.
    pub(super) fn take_noted(&self, task: u64) -> Option<u32> {
        let noted = (self.task.load(Relaxed) == task).then(|| self.noted.swap(0, Relaxed));
        noted.filter(|class| *class != 0)
    }

    fn is_joined_by(&self, class: u32) -> bool {
        joins(class) && self.class.load(Relaxed) == class
    }

    /// The group of tasks that a new one depends on.
    pub(super) fn predecessors(&'static self, class: u32) -> &'static Link<Member> {
        if self.is_joined_by(class) { &self.before } else { &self.last }
    }

    /// Adds the new task to those that later tasks may depend on.
    pub(super) fn add(&self, class: u32, node: &'static Node, groups: &Groups, unused: &Pool<Node>) {
        if !self.is_joined_by(class) {
            groups.clear(&self.before, unused);
            self.before.set(self.last.get());
            self.last.set(None);
            self.class.store(class, Relaxed);
        }
        groups.join(&self.last, node);
    }
}

/// Programs of tiles have thousands of variables at a time, for each of which there should be a bucket.
const BUCKETS: usize = 1 << 13;
/// Number of buckets that are swept together: those of a cache line.
const SWEPT: usize = 8;

/// Hash table of a thread's variables.
pub(super) struct Places {
    buckets: [Link<Place>; BUCKETS],
    unused: Pool<Place>,
    /// The number of sweeps.
    hand: AtomicUsize,
}

system::zeroed!(Places { buckets, unused, hand });

impl Places {
    fn bucket(&self, number: usize) -> Option<&Link<Place>> {
        self.buckets.get(number % BUCKETS)
    }

    fn bucket_of(&self, parent: u64, variable: u64) -> Option<&Link<Place>> {
        let mixed = (variable ^ parent.rotate_left(40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.bucket(usize::try_from(mixed >> 48).ok()?)
    }

    /// The record of the variable.
    pub(super) fn find(&self, parent: u64, variable: u64) -> Option<&'static Place> {
        let mut at = self.bucket_of(parent, variable)?.get();
        while let Some(place) = at {
            if place.parent.load(Relaxed) == parent && place.variable.load(Relaxed) == variable {
                break;
            }
            at = place.next.get();
        }
        at
    }

    /// Adds a record of the variable, which has none, if there is memory for it.
    pub(super) fn add(&self, parent: u64, variable: u64) -> Option<&'static Place> {
        let bucket = self.bucket_of(parent, variable)?;
        let place = self.unused.take()?;
        place.parent.store(parent, Relaxed);
        place.variable.store(variable, Relaxed);
        place.task.store(0, Relaxed);
        place.noted.store(0, Relaxed);
        place.class.store(0, Relaxed);
        place.next.set(bucket.get());
        bucket.set(Some(place));
        Some(place)
    }

    /// Number of variables in the table.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        let of_bucket = |bucket: &Link<Place>| std::iter::successors(bucket.get(), |place| place.next.get()).count();
        self.buckets.iter().map(of_bucket).sum()
    }

    /// Sweeps a few more buckets: removes the variables whose tasks are all complete. So the table forgets parents that
    /// are gone, without being notified of their ends.
    pub(super) fn sweep(&'static self, groups: &Groups, unused: &Pool<Node>) {
        let hand = self.hand.load(Relaxed);
        self.hand.store(hand.wrapping_add(1), Relaxed);
        let first = hand.wrapping_mul(SWEPT);
        (first..first.wrapping_add(SWEPT)).for_each(|number| self.sweep_bucket(number, groups, unused));
    }

    fn sweep_bucket(&'static self, number: usize, groups: &Groups, unused: &Pool<Node>) {
        let Some(mut at) = self.bucket(number) else { return };
        while let Some(place) = at.get() {
            let (last, before) = (groups.sweep(&place.last, unused), groups.sweep(&place.before, unused));
            if last || before {
                at = &place.next;
            } else {
                at.set(place.next.get());
                self.unused.put(place);
            }
        }
    }
}
