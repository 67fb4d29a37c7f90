//! The places of a table indexed by region ids, in the order in which they are tried for a region.

use std::ops::Range;

use super::OPEN;

/// Number of places that are tried for a region before all the others.
pub(super) const PROBES: u64 = 4;

/// The places of a table indexed by region ids that a region has first.
#[inline(always)]
pub(super) fn first_places<T>(table: &[T; OPEN], region: u64) -> impl Iterator<Item = &T> {
    places(table, region, 0..PROBES)
}

/// All the other places.
pub(super) fn farther_places<T>(table: &[T; OPEN], region: u64) -> impl Iterator<Item = &T> {
    places(table, region, PROBES..OPEN as u64)
}

#[inline(always)]
fn places<T>(table: &[T; OPEN], region: u64, probes: Range<u64>) -> impl Iterator<Item = &T> {
    let first = region % OPEN as u64;
    probes.filter_map(move |probe| table.get(usize::try_from((first + probe) % OPEN as u64).ok()?))
}
