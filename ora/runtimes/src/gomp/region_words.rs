//! The host's words of a region ([`Region::word`]).

use ompt_core::detail::Work;
use ompt_core::region::Region;
use std::sync::atomic::Ordering::Relaxed;

/// The word that libgomp looks at through the pointer to the program's data, which we replace by the region's.
pub(super) const MIRROR: usize = 0;
pub(super) const DATA: usize = 1;
/// The work that the construct itself has to share: a loop's first value, bound and step. Step 0: as many sections as the
/// bound says; none for 0.
pub(super) const FIRST: usize = 2;
pub(super) const BOUND: usize = 13;
pub(super) const STEP: usize = 15;
/// See [`set_split`].
const SPLIT: usize = 3;
/// The thread that executes the newest single region with copyprivate: see `work`.
pub(super) const COPY: usize = 4;
/// Turns of ordered loops: see `ordered`.
pub(super) const TURNS: usize = 5;
/// The number of the bank that the region is of; << `KIND`, the kind of the work.
const BANK: usize = 14;
const KIND: u32 = 8;

/// Notes whether all members of the team meet in one more barrier before libgomp's last one, and the number of the bank that the
/// members' functions are to find.
#[inline(always)]
pub(super) fn set_split(region: &Region, split: bool, bank: usize) {
    region.word(SPLIT).store(usize::from(split) | bank << 1, Relaxed);
}

/// True if all members of the team meet in one more barrier before libgomp's last one.
#[inline(always)]
pub(super) fn is_split(region: &Region) -> bool {
    region.word(SPLIT).load(Relaxed) & 1 != 0
}

/// The number of the bank that members' functions are to find; 0 in regions of the first.
#[inline(always)]
pub(super) fn bank_of_members(region: &Region) -> usize {
    region.word(SPLIT).load(Relaxed) >> 1
}

/// Notes the bank, and the kind of the work that the construct itself has to share, where calls are told.
#[inline(always)]
pub(super) fn set_bank(region: &Region, bank: usize, kind: Work) {
    region.word(BANK).store(bank | (kind as usize) << KIND, Relaxed);
}

/// The number of the bank that the region is of, where calls are told.
pub(super) fn bank(region: &Region) -> usize {
    region.word(BANK).load(Relaxed) & ((1 << KIND) - 1)
}

/// The kind of the work that the construct itself has to share, which is a loop.
pub(super) fn kind(region: &Region) -> Work {
    Work::from_number((region.word(BANK).load(Relaxed) >> KIND) as u64).unwrap_or(Work::Loop)
}
