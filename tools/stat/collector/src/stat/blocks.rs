//! Memory of threads, which outlives them: a thread takes a block, and gives it back at its end. Unsafe: blocks are found by their
//! addresses.
#![allow(unsafe_code)]

use std::ptr::with_exposed_provenance;
use std::sync::atomic::AtomicU64;

use system::memory::{TreiberStack, pages};

/// Blocks for values of one type, which begins with the link of its block. They are never unmapped.
#[derive(Debug)]
pub(super) struct Blocks {
    unused: TreiberStack,
    bytes: usize,
    /// Number of blocks that are taken from pages together: a single one leaves most of its last page empty.
    together: usize,
}

impl Blocks {
    pub(super) const fn of<T>(together: usize) -> Self {
        Self { unused: TreiberStack::empty(), bytes: size_of::<T>(), together }
    }

    /// Address of a block that was given back, or was not used yet. Only the caller has it.
    pub(super) fn take_unused(&self) -> Option<usize> {
        self.unused.pop(link).and_then(|start| usize::try_from(start).ok())
    }

    /// Address of a new block, of zeros. Only the caller has it. Adds some more, of zeros apart from the link, to the unused ones.
    pub(super) fn map(&self) -> Option<usize> {
        let start = pages(self.together * self.bytes)?.as_ptr().expose_provenance();
        for number in 1..self.together {
            // SAFETY: in the pages, which stay mapped, and no other thread knows about it.
            unsafe { self.give_back(start + number * self.bytes) };
        }
        Some(start)
    }

    /// Gives a block to the unused ones.
    ///
    /// # Safety
    /// `start` is the address of memory for a value that stays mapped and that no thread uses.
    pub(super) unsafe fn give_back(&self, start: usize) {
        if let Some(next) = link(start as u64) {
            self.unused.push(start as u64, next);
        }
    }
}

/// The link of the block at this address; `None` for 0.
fn link(start: u64) -> Option<&'static AtomicU64> {
    // SAFETY: 0, or an address that was passed to `give_back`: a block begins with its link, and stays mapped.
    unsafe { with_exposed_provenance::<AtomicU64>(usize::try_from(start).ok()?).as_ref() }
}
