//! Slots of threads that have ended, for reuse by others: a stack linked through the slots themselves.

use std::sync::atomic::AtomicU32;

use system::memory::TreiberStack;

/// The stack. Its links are the slots' numbers plus one, in place of addresses.
#[derive(Debug)]
pub(crate) struct FreeList(TreiberStack);

impl FreeList {
    pub(crate) const fn new() -> Self {
        Self(TreiberStack::empty())
    }

    /// Forgets all of them.
    pub(crate) fn clear(&self) {
        self.0.clear();
    }

    /// Takes a slot out. `next` is the word of a slot that names the next one.
    pub(crate) fn take<'a>(&self, next: impl Fn(u32) -> Option<&'a AtomicU32>) -> Option<u32> {
        let slot = |number: u64| u32::try_from(number).ok()?.checked_sub(1);
        self.0.pop(|number| next(slot(number)?)).and_then(slot)
    }

    /// Puts a slot in.
    pub(crate) fn give(&self, index: u32, next: &AtomicU32) {
        self.0.push(u64::from(index) + 1, next);
    }
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
