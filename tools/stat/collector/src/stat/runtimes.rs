//! The OpenMP runtime that a thread's regions run on: there may be several in a process, each with a pool of its own.
//!
//! The stack shows it, but for the begin of a region on libgomp, which the library sees before libgomp does. Then the next
//! event of the thread in the region shows it. It is looked for once for each place and each worker.

use std::sync::atomic::Ordering::Relaxed;

use crate::stack;
use stat_layout::loaded::{Ledger, place};
use stat_layout::roll::add;
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
    /// The place on the stack of the return address of the call that forked the region. Above it there may be other runtimes, of
    /// the regions around.
    end: usize,
}

impl Runtimes {
    /// None is sought.
    pub(super) const fn new() -> Self {
        Self(None)
    }

    /// The thread forks a region whose runtime is known.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }

    /// The thread forks a region. `base` is in the frame of the callback, `end` where the stack has the program's call.
    #[inline(always)]
    pub(super) fn fork(&mut self, ledger: Ledger<'_>, row: &'static RegionRow, base: usize, end: Option<usize>) {
        self.0 = None;
        if !is_known(row) {
            self.0 = end.and_then(|end| search(ledger, Sought { row, end }, base));
        }
    }

    /// True if one is.
    #[inline(always)]
    pub(super) fn is_sought(&self) -> bool {
        self.0.is_some()
    }

    /// An event of the thread.
    #[inline(always)]
    pub(super) fn happens(&mut self, ledger: Ledger<'_>, base: usize) {
        if let Some(sought) = self.0 {
            self.0 = search(ledger, sought, base);
        }
    }
}

/// True if the row's runtime is not looked for any more.
#[inline(always)]
pub(super) fn is_known(row: &RegionRow) -> bool {
    row.runtime.load(Relaxed) >= ATTEMPTS
}

/// Looks for the runtime. Gives what is to be looked for again.
#[cold]
#[inline(never)]
fn search(ledger: Ledger<'_>, sought: Sought, base: usize) -> Option<Sought> {
    let Sought { row, end } = sought;
    if let Some(found) = stack::runtime(ledger, base, end) {
        row.runtime.store(found, Relaxed);
        return None;
    }
    add(&row.runtime, 1);
    Some(sought).filter(|_| row.runtime.load(Relaxed) < ATTEMPTS)
}

/// A worker begins to serve a region.
#[inline(always)]
pub(super) fn serve(ledger: Ledger<'_>, slot: &ThreadSlot, base: usize) {
    if slot.runtime.load(Relaxed) == 0 {
        // Not to be looked for again.
        slot.runtime.store(stack::runtime(ledger, base, usize::MAX).unwrap_or(place::UNKNOWN), Relaxed);
    }
}
