//! Threads, constructs and tasks of each process, found in one pass over the tables that all processes share.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use stat_layout::tasks::layout::{Cell, TaskInstance, TaskThreadSlot};

use super::raw_run::RawRun;

/// Threads, constructs and tasks of one process.
#[derive(Debug, Default)]
pub(super) struct Owned<'a> {
    /// Its thread slots, with their numbers.
    pub(super) threads: Vec<(u32, &'a TaskThreadSlot)>,
    /// The cells of these threads.
    pub(super) cells: Vec<&'a Cell>,
    /// The tasks that these threads have created.
    pub(super) instances: Vec<&'a TaskInstance>,
}

/// Threads, constructs and tasks of all processes, by the number of the process's slot plus one. Those without an owner have the number 0.
pub(super) fn by_owner<'a>(left: &RawRun<'a>) -> BTreeMap<u32, Owned<'a>> {
    let RawRun { area, instances, .. } = *left;
    let mut all: BTreeMap<u32, Owned<'a>> = BTreeMap::new();
    for (number, slot) in area.thread_slots() {
        all.entry(slot.owner.load(Relaxed)).or_default().threads.push((number, slot));
    }
    // The number of a thread is that of its slot plus one.
    let process = |thread: &AtomicU32| {
        let slot = thread.load(Relaxed).checked_sub(1).and_then(|thread| area.thread(thread));
        slot.map_or(0, |slot| slot.owner.load(Relaxed))
    };
    for cell in area.cells() {
        all.entry(process(&cell.owner)).or_default().cells.push(cell);
    }
    for instance in instances.iter().filter(|instance| instance.id.load(Relaxed) != 0) {
        all.entry(process(&instance.creator)).or_default().instances.push(instance);
    }
    all
}
