//! The OpenMP runtime that a thread's regions run on: a process may have several, each with its own pool.
//!
//! The stack shows it, except at the start of a region on libgomp, which the library sees before libgomp does. Then the
//! next event of the thread in the region shows it. It is searched for once for each place and each worker.

use std::sync::atomic::Ordering::Relaxed;

use crate::stack;
use stat_layout::loaded::{SharedTables, place};
use stat_layout::process_table::add;
use stat_layout::stat::layout::ThreadSlot;
use stat_layout::stat::regions::RegionRow;

/// Number of searches for a runtime.
const ATTEMPTS: u64 = 4;

/// A thread's region whose runtime is to be found.
#[derive(Debug)]
pub(super) struct Runtimes(Option<Sought>);

#[derive(Clone, Copy, Debug)]
struct Sought {
    row: &'static RegionRow,
    /// The address on the stack of the return address of the call that forked the region. Above it there may be other runtimes,
    /// which execute the enclosing regions.
    end: usize,
}

impl Runtimes {
    /// No runtime is sought.
    pub(super) const fn new() -> Self {
        Self(None)
    }

    /// The thread forks a region whose runtime is known.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }

    /// The thread forks a region. `base` is in the frame of the callback, `end` is the address of the program's call
    /// on the stack.
    #[inline(always)]
    pub(super) fn fork(&mut self, tables: SharedTables<'_>, row: &'static RegionRow, base: usize, end: Option<usize>) {
        self.0 = None;
        if !is_known(row) {
            self.0 = end.and_then(|end| search(tables, Sought { row, end }, base));
        }
    }

    /// True if a runtime is sought.
    #[inline(always)]
    pub(super) fn is_sought(&self) -> bool {
        self.0.is_some()
    }

    /// An event of the thread.
    #[inline(always)]
    pub(super) fn happens(&mut self, tables: SharedTables<'_>, base: usize) {
        if let Some(sought) = self.0 {
            self.0 = search(tables, sought, base);
        }
    }
}

/// True if the row's runtime is no longer searched for.
#[inline(always)]
pub(super) fn is_known(row: &RegionRow) -> bool {
    row.runtime.load(Relaxed) >= ATTEMPTS
}

/// Searches for the runtime. Returns what remains to be searched for.
#[cold]
#[inline(never)]
fn search(tables: SharedTables<'_>, sought: Sought, base: usize) -> Option<Sought> {
    let Sought { row, end } = sought;
    if let Some(found) = stack::runtime(tables, base, end) {
        row.runtime.store(found, Relaxed);
        return None;
    }
    add(&row.runtime, 1);
    Some(sought).filter(|_| row.runtime.load(Relaxed) < ATTEMPTS)
}

/// A worker begins to serve a region.
#[inline(always)]
pub(super) fn serve(tables: SharedTables<'_>, slot: &ThreadSlot, base: usize) {
    if slot.runtime.load(Relaxed) == 0 {
        // This worker's runtime is not searched for again.
        slot.runtime.store(stack::runtime(tables, base, usize::MAX).unwrap_or(place::UNKNOWN), Relaxed);
    }
}
