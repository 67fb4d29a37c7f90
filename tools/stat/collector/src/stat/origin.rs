//! The place of a fork in the program, found with a thread's memory of its stack. Unsafe: memory that threads pass on.
//!
//! Most threads of a team never fork, so a thread takes this memory at its first region. It comes from pages that are mapped
//! for many threads together: if each mapped its own, threads that start together would wait for each other in the kernel.
#![allow(unsafe_code)]

use std::mem::offset_of;
use std::ptr::{NonNull, with_exposed_provenance_mut};
use std::sync::atomic::AtomicU64;

use super::blocks::Blocks;
use crate::stack::{Found, Ways};
use stat_layout::loaded::{SharedTables, place};

/// Three fill two pages. An unused one has the paths of an earlier thread, which are checked before they are used.
static BLOCKS: Blocks = Blocks::of::<Memory>(3);

/// A thread's memory. All zeros are valid.
#[derive(Debug)]
#[repr(C)]
struct Memory {
    /// Link while it is unused.
    next: AtomicU64,
    ways: Ways,
}

const _: () = assert!(offset_of!(Memory, next) == 0);

/// The paths that a thread has found up to the program, once it has memory for them.
#[derive(Debug)]
pub(super) struct Origin(Option<NonNull<Ways>>);

impl Origin {
    /// Without any memory.
    pub(super) const fn new() -> Self {
        Self(None)
    }

    /// The address that the program's call returns to. `base` is in the frame of the callback that the library has called.
    #[inline(always)]
    pub(super) fn find(&mut self, tables: SharedTables<'_>, base: usize) -> u64 {
        let Some(mut ways) = self.0.or_else(take) else { return place::UNKNOWN };
        self.0 = Some(ways);
        // SAFETY: `take` returned it: all zero, as a `Ways` may be, or written by another thread's; only this thread has the pointer.
        let ways = unsafe { ways.as_mut() };
        match ways.find(tables, base) {
            Found::Program(address) if address >= place::FIRST_ADDRESS => address,
            _ => place::UNKNOWN,
        }
    }

    /// Result of [`find`](Self::find) if the path is the one used last; otherwise `None`.
    #[inline(always)]
    pub(super) fn last(&self, base: usize) -> Option<u64> {
        // SAFETY: `take` returned it, and only this thread has the pointer, borrowed from `self`.
        match unsafe { self.0?.as_ref() }.last(base)? {
            Found::Program(address) => Some(address),
            _ => None,
        }
    }

    /// The address on the stack of the word that [`Self::find`] has found just now, from the same `base`.
    pub(super) fn slot(&self, base: usize) -> Option<usize> {
        // SAFETY: `take` returned it, and only this thread has the pointer, borrowed from `self`.
        self.0.and_then(|ways| unsafe { ways.as_ref() }.slot(base))
    }

    /// Gives the memory back, for another thread.
    pub(super) fn clear(&mut self) {
        if let Some(ways) = self.0.take() {
            let start = ways.as_ptr().expose_provenance() - offset_of!(Memory, ways);
            // SAFETY: in memory from `take`, and the only pointer was taken out.
            unsafe { BLOCKS.give_back(start) };
        }
    }
}

/// Memory that no other thread uses.
#[cold]
#[inline(never)]
fn take() -> Option<NonNull<Ways>> {
    let start = BLOCKS.take_unused().or_else(|| BLOCKS.map())?;
    let mut ways = NonNull::new(with_exposed_provenance_mut::<Ways>(start + offset_of!(Memory, ways)))?;
    // SAFETY: in a block for a `Memory`, all zero, as a `Ways` may be, or written by another thread's; only this thread has it.
    unsafe { ways.as_mut() }.renew();
    Some(ways)
}

#[cfg(test)]
mod tests {
    use super::{Origin, take};
    use std::collections::BTreeSet;

    #[test]
    fn threads_that_follow_each_other_use_the_same_memory() {
        let place = |_| {
            let mut origin = Origin(take());
            let place = origin.0;
            origin.clear();
            place
        };
        let places: BTreeSet<_> = (0..1000).map(place).collect();
        assert!(!places.contains(&None) && places.len() < 100, "{}", places.len());
    }
}
