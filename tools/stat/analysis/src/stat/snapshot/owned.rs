//! Threads and regions of each process, found in one pass over the tables that all processes share.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Acquire;

use stat_layout::stat::layout::{Area, ThreadSlot};
use stat_layout::stat::regions::RegionRow;

/// Threads and regions of one process.
#[derive(Debug, Default)]
pub(super) struct Owned<'a> {
    /// Its thread slots, with their numbers.
    pub(super) threads: Vec<(u32, &'a ThreadSlot)>,
    /// The rows of these threads.
    pub(super) rows: Vec<&'a RegionRow>,
}

/// Threads and regions of all processes, by the number of the process's slot plus one. Those without an owner have the number 0.
pub(super) fn by_owner(area: &Area) -> BTreeMap<u32, Owned<'_>> {
    let mut all: BTreeMap<u32, Owned<'_>> = BTreeMap::new();
    // Acquire: pairs with the store in `Area::give_thread`; publishes the slot's contents.
    let owner = |slot: &ThreadSlot| slot.owner.load(Acquire);
    for (number, slot) in (0..).zip(area.thread_slots()) {
        all.entry(owner(slot)).or_default().threads.push((number, slot));
    }
    for row in area.regions.rows() {
        all.entry(area.thread(row.thread()).map_or(0, owner)).or_default().rows.push(row);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    use stat_layout::area::SharedArea;

    #[test]
    fn each_process_has_its_own_threads_and_their_rows() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let area = shared.area();
        for owner in [1, 2, 0, 1] {
            let (number, slot) = area.claim_thread().unwrap();
            slot.owner.store(owner, Relaxed);
            (0..=number).for_each(|place| _ = area.regions.row(number, 0x1000 + u64::from(place)));
        }
        let all = by_owner(area);
        let counts = |process: u32| all.get(&process).map(|owned| (owned.threads.len(), owned.rows.len()));
        assert_eq!([counts(1), counts(2), counts(3)], [Some((2, 1 + 4)), Some((1, 2)), None]);
    }
}
