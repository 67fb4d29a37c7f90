//! Fields of this adapter in a region's record.

use ompt_core::detail::Work;
use ompt_core::region::Region;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bit of `runtime` from which on the kind of the work is stored.
const KIND: u32 = 8;

/// The adapter's fields of a region. Until they are set, they hold the values of the record's previous region.
pub(super) struct Fields<'a> {
    /// The word that libgomp reads through the pointer to the program's data, which is replaced by the region's. It is
    /// the region's first word.
    pub(super) mirror: &'a AtomicUsize,
    /// The data that the program passes to the outlined function.
    pub(super) data: &'a AtomicUsize,
    /// Work that the construct itself has to share: a loop's first value, bound and step. If the step is 0, the bound
    /// is the number of sections, or 0 for none.
    pub(super) bounds: [&'a AtomicUsize; 3],
    /// Bit 0 is set if there is an extra barrier before libgomp's last one; the bits above are the number of the
    /// instance for the members' functions.
    split: &'a AtomicUsize,
    /// The thread that executes the newest single region with copyprivate: see `work`.
    pub(super) copy: &'a AtomicUsize,
    /// Turns of ordered loops: see `ordered`.
    pub(super) turns: &'a [AtomicUsize; 8],
    /// Number of the region's runtime instance and, << `KIND`, the kind of the work.
    runtime: &'a AtomicUsize,
}

impl<'a> Fields<'a> {
    /// The fields of this region.
    #[inline(always)]
    pub(super) fn of(region: &'a Region) -> Self {
        let [mirror, data, split] = region.member_words();
        let [first, bound, step, copy, runtime, turns @ ..] = region.words();
        Self { mirror, data, bounds: [first, bound, step], split, copy, turns, runtime }
    }

    /// Records whether all members of the team wait at an extra barrier before libgomp's last one (`split`), and the
    /// number of the instance for the members' functions.
    #[inline(always)]
    pub(super) fn set_split(&self, split: bool, runtime: usize) {
        self.split.store(usize::from(split) | runtime << 1, Relaxed);
    }

    /// True if all members of the team wait at an extra barrier before libgomp's last one.
    #[inline(always)]
    pub(super) fn is_split(&self) -> bool {
        self.split.load(Relaxed) & 1 != 0
    }

    /// Number of the instance for the members' functions; 0 in regions of the first.
    #[inline(always)]
    pub(super) fn runtime_of_members(&self) -> usize {
        self.split.load(Relaxed) >> 1
    }

    /// Records the instance, and the kind of the work that the construct itself has to share. Used only at the OMPT level.
    #[inline(always)]
    pub(super) fn set_runtime(&self, runtime: usize, kind: Work) {
        self.runtime.store(runtime | (kind as usize) << KIND, Relaxed);
    }

    /// Number of the region's instance. Used only at the OMPT level.
    pub(super) fn runtime(&self) -> usize {
        self.runtime.load(Relaxed) & ((1 << KIND) - 1)
    }

    /// Kind of the work that the construct itself has to share, which is a loop.
    pub(super) fn kind(&self) -> Work {
        Work::from_number((self.runtime.load(Relaxed) >> KIND) as u64).unwrap_or(Work::Loop)
    }
}
