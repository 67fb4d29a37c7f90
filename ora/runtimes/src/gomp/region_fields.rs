//! Adapter-private fields of a region ([`Region::word`]).

use ompt_core::detail::Work;
use ompt_core::region::Region;
use std::sync::atomic::Ordering::Relaxed;

/// The word that libgomp reads through the pointer to the program's data, which is replaced by the region's.
pub(super) const MIRROR: usize = 0;
pub(super) const DATA: usize = 1;
/// Work that the construct itself has to share: a loop's first value, bound and step. Step 0: `BOUND` is the number of
/// sections; 0 for none.
pub(super) const FIRST: usize = 2;
pub(super) const BOUND: usize = 13;
pub(super) const STEP: usize = 15;
/// See [`set_split`].
const SPLIT: usize = 3;
/// The thread that executes the newest single region with copyprivate: see `work`.
pub(super) const COPY: usize = 4;
/// Turns of ordered loops: see `ordered`.
pub(super) const TURNS: usize = 5;
/// Number of the region's runtime instance; << `KIND`, the kind of the work.
const RUNTIME: usize = 14;
const KIND: u32 = 8;

/// Records two facts: all members of the team meet in one more barrier before libgomp's last one if `split`; and the number of
/// the instance for the members' functions.
#[inline(always)]
pub(super) fn set_split(region: &Region, split: bool, runtime: usize) {
    region.word(SPLIT).store(usize::from(split) | runtime << 1, Relaxed);
}

/// True if all members of the team meet in one more barrier before libgomp's last one.
#[inline(always)]
pub(super) fn is_split(region: &Region) -> bool {
    region.word(SPLIT).load(Relaxed) & 1 != 0
}

/// Number of the instance for the members' functions; 0 in regions of the first.
#[inline(always)]
pub(super) fn runtime_of_members(region: &Region) -> usize {
    region.word(SPLIT).load(Relaxed) >> 1
}

/// Records the instance, and the kind of the work that the construct itself has to share. At the level of OMPT only.
#[inline(always)]
pub(super) fn set_runtime(region: &Region, runtime: usize, kind: Work) {
    region.word(RUNTIME).store(runtime | (kind as usize) << KIND, Relaxed);
}

/// Number of the region's instance. At the level of OMPT only.
pub(super) fn runtime(region: &Region) -> usize {
    region.word(RUNTIME).load(Relaxed) & ((1 << KIND) - 1)
}

/// Kind of the work that the construct itself has to share, which is a loop.
pub(super) fn kind(region: &Region) -> Work {
    Work::from_number((region.word(RUNTIME).load(Relaxed) >> KIND) as u64).unwrap_or(Work::Loop)
}
