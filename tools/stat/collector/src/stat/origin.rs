//! The place of a fork in the program, found with a thread's memory of its stack. Unsafe: memory from `mmap`.
//!
//! Most threads of a team never fork, so a thread allocates this memory at its first region.
#![allow(unsafe_code)]

use std::ptr::{self, NonNull};

use crate::stack::{Found, Ways};
use stat_layout::loaded::{SharedTables, place};

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
        let Some(mut ways) = self.0.or_else(allocate) else { return place::UNKNOWN };
        self.0 = Some(ways);
        // SAFETY: `allocate` mapped it, all zero, as a `Ways` may be; only this thread has the pointer.
        let ways = unsafe { ways.as_mut() };
        match ways.find(tables, base) {
            Found::Program(address) if address >= place::FIRST_ADDRESS => address,
            _ => place::UNKNOWN,
        }
    }

    /// Result of [`find`](Self::find) if the path is the one used last; otherwise `None`.
    #[inline(always)]
    pub(super) fn last(&self, base: usize) -> Option<u64> {
        // SAFETY: `allocate` mapped it, all zero or written by `Ways`; only this thread has the pointer, borrowed from `self`.
        match unsafe { self.0?.as_ref() }.last(base)? {
            Found::Program(address) => Some(address),
            _ => None,
        }
    }

    /// The address on the stack of the word that [`Self::find`] has found just now, from the same `base`.
    pub(super) fn slot(&self, base: usize) -> Option<usize> {
        // SAFETY: `allocate` mapped it, all zero or written by `Ways`; only this thread has the pointer, borrowed from `self`.
        self.0.and_then(|ways| unsafe { ways.as_ref() }.slot(base))
    }

    /// Gives the memory back.
    pub(super) fn clear(&mut self) {
        if let Some(ways) = self.0.take() {
            // SAFETY: mapped by `allocate` with this length; the only pointer was taken out.
            unsafe { libc::munmap(ways.as_ptr().cast(), size_of::<Ways>()) };
        }
    }
}

#[cold]
#[inline(never)]
fn allocate() -> Option<NonNull<Ways>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping at a place that the kernel chooses touches nobody's memory.
    let start =
        unsafe { libc::mmap(ptr::null_mut(), size_of::<Ways>(), libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
}
