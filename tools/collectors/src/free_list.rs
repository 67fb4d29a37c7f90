//! Slots of threads that have ended, for others to continue: a lock-free list through the slots themselves.

use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// The list: the first slot's number plus one, and in the high half a count of changes.
#[derive(Debug)]
pub(crate) struct FreeList(AtomicU64);

impl FreeList {
    pub(crate) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Forgets all of them.
    pub(crate) fn clear(&self) {
        self.0.store(0, Relaxed);
    }

    /// Takes a slot out. `next` is the word of a slot that names the one behind it.
    pub(crate) fn take<'a>(&self, next: impl Fn(u32) -> Option<&'a AtomicU32>) -> Option<u32> {
        // Acquire, here and below: pairs with the compare-exchange in `give`; publishes the link and what the earlier user
        // wrote.
        let mut head = self.0.load(Acquire);
        loop {
            let index = first(head).checked_sub(1)?;
            let rest = changed(head, next(index)?.load(Relaxed));
            match self.0.compare_exchange_weak(head, rest, Acquire, Acquire) {
                Ok(_) => return Some(index),
                Err(now) => head = now,
            }
        }
    }

    /// Puts a slot in.
    pub(crate) fn give(&self, index: u32, next: &AtomicU32) {
        let mut head = self.0.load(Relaxed);
        loop {
            next.store(first(head), Relaxed);
            // Release: pairs with the load and the compare-exchange in `take`; publishes the link and what this user wrote.
            match self.0.compare_exchange_weak(head, changed(head, index + 1), Release, Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }
}

/// The first slot's number plus one.
fn first(head: u64) -> u32 {
    let low = head & u64::from(u32::MAX);
    u32::try_from(low).unwrap_or_default()
}

/// A new head of the list: the count of changes goes up, so that an old head never looks like a new one.
fn changed(head: u64, index_plus_one: u32) -> u64 {
    ((head >> 32).wrapping_add(1) << 32) | u64::from(index_plus_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_last_is_taken_first_and_an_empty_list_gives_nothing() {
        let nexts = [const { AtomicU32::new(0) }; 3];
        let list = FreeList::new();
        let take = || list.take(|index| nexts.get(index as usize));
        assert_eq!(take(), None);
        for index in [2, 0, 1] {
            list.give(index, &nexts[index as usize]);
        }
        assert_eq!([take(), take(), take(), take()], [Some(1), Some(0), Some(2), None]);
    }
}
