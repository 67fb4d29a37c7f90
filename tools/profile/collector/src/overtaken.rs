//! Regions whose place in the ring of recent forks was taken by a younger one while samples may still lie in them.
//!
//! A hash table with open addressing and double hashing, by the region's number. A fork moves the older region here, at the
//! cost of a copy; a program with few active regions never touches the table. An entry is not removed: a later one replaces
//! it once no sample can lie in it any more. A lookup probes at most [`PROBES`] places, whatever the number of threads
//! and regions.

use crate::diagnostics::{Diagnostic, report};
use crate::region_place::{Kept, Place};

const CAPACITY: usize = 1 << 16;
/// Number of places that an entry may be in.
const PROBES: usize = 32;

static TABLE: Table<CAPACITY> = Table::new();

/// Keeps a region. Returns its place; `None`, with a diagnostic, if all that it may be in have regions that are needed.
pub(crate) fn keep(kept: &Kept) -> Option<&'static Place> {
    let place = TABLE.keep(kept);
    if place.is_none() {
        report(Diagnostic::Regions, |text| {
            text.push(b"samples lie in unknown regions: too many were active simultaneously, the table has ");
            text.number(CAPACITY as u64).push(b" places");
        });
    }
    place
}

/// The place of a region that was overtaken. Async-signal-safe: a bounded number of loads.
pub(crate) fn find(id: u64) -> Option<&'static Place> {
    TABLE.find(id)
}

/// A table of `N` places, a power of two.
struct Table<const N: usize>([Place; N]);

impl<const N: usize> Table<N> {
    const fn new() -> Self {
        Self([const { Place::new() }; N])
    }

    /// The places that a region may be in, in the order in which they are tried.
    #[allow(clippy::cast_possible_truncation)] // halves
    fn probes(&self, id: u64) -> impl Iterator<Item = &Place> {
        // The finalizer of SplitMix64: one multiplication alone leaves patterns of dense numbers.
        let mixed = (id ^ id >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = mixed ^ mixed >> 31;
        let (first, step) = ((mixed >> 32) as u32 as usize, mixed as u32 as usize | 1);
        (0..PROBES).filter_map(move |probe| self.0.get(first.wrapping_add(probe.wrapping_mul(step)) % N))
    }

    fn keep(&self, kept: &Kept) -> Option<&Place> {
        let place = self.probes(kept.fork.id).find(|place| place.claim_unneeded())?;
        place.keep(kept);
        Some(place)
    }

    fn find(&self, id: u64) -> Option<&Place> {
        // A place that was never used ends the search: an entry takes the first place that is free.
        self.probes(id).take_while(|place| place.number() != 0).find(|place| place.has(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region_place::{Chain, Fork};

    #[test]
    fn a_region_that_is_active_is_never_replaced_and_one_that_is_over_is() {
        let table: Table<64> = Table::new();
        let keep = |id| table.keep(&Kept::new(Fork::new(id, 0, 1, 0), Chain::default())).is_some();
        let (kept, refused): (Vec<u64>, Vec<u64>) = (1..200).partition(|id| keep(*id));
        assert!((32..=64).contains(&kept.len()), "{kept:?}");
        assert!(kept.iter().all(|id| table.find(*id).is_some_and(|place| place.has(*id))));
        assert!(refused.iter().all(|id| table.find(*id).is_none()));
        kept.iter().for_each(|id| assert!(table.find(*id).unwrap().join(*id, 1)));
        assert!(refused.iter().take(16).all(|id| keep(*id) && table.find(*id).is_some()));
    }
}
