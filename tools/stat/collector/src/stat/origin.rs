//! The place of a fork in the program, found with a thread's memory of its stack. Unsafe: memory that threads pass on.
//!
//! Most threads of a team never fork, so a thread takes this memory at its first region. It comes from pages that are mapped
//! for many threads together: if each mapped its own, threads that start together would wait for each other in the kernel.
#![allow(unsafe_code)]

use std::ptr::{NonNull, with_exposed_provenance};
use std::sync::atomic::AtomicU64;

use system::memory::{TreiberStack, pages};

use crate::stack::{Found, Ways};
use stat_layout::loaded::{SharedTables, place};

/// Number of threads that take memory together: it fills whole pages.
const TOGETHER: usize = 3;

/// Memory that no thread uses. It has the paths of an earlier thread, which are checked before they are used.
static UNUSED: TreiberStack = TreiberStack::empty();

/// A thread's memory, which is never unmapped. All zeros are valid.
#[derive(Debug)]
#[repr(C)]
struct Memory {
    /// The next unused one, while this one is unused.
    next: AtomicU64,
    ways: Ways,
}

const _: () = assert!(std::mem::offset_of!(Memory, next) == 0);

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
            let start = ways.as_ptr().expose_provenance() - std::mem::offset_of!(Memory, ways);
            give_back(start);
        }
    }
}

/// The link of memory that starts at this address.
fn link(start: u64) -> Option<&'static AtomicU64> {
    // SAFETY: 0, or the start of a `Memory` that was pushed: it begins with its link, and stays mapped.
    unsafe { with_exposed_provenance::<AtomicU64>(usize::try_from(start).ok()?).as_ref() }
}

fn give_back(start: usize) {
    if let Some(next) = link(start as u64) {
        UNUSED.push(start as u64, next);
    }
}

/// Memory that no other thread uses.
#[cold]
#[inline(never)]
fn take() -> Option<NonNull<Ways>> {
    let start = match UNUSED.pop(link) {
        Some(start) => usize::try_from(start).ok()?,
        None => map()?,
    };
    let mut ways =
        NonNull::new(std::ptr::with_exposed_provenance_mut::<Ways>(start + std::mem::offset_of!(Memory, ways)))?;
    // SAFETY: in memory from `map`, all zero, as a `Ways` may be, or written by another thread's; the pop gave it to this thread alone.
    unsafe { ways.as_mut() }.renew();
    Some(ways)
}

/// New memory for one thread and some more.
fn map() -> Option<usize> {
    let start = pages(TOGETHER * size_of::<Memory>())?.as_ptr().expose_provenance();
    (1..TOGETHER).for_each(|number| give_back(start + number * size_of::<Memory>()));
    Some(start)
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
