//! Tasks of the functions of Lorenz et al. that have been created but have not begun. The program passes only the creator's value from the
//! creation to the start. So a task that begins is the task that its thread is just creating at that construct, or else the oldest one that
//! its creator has created there: the calls do not distinguish them.
//!
//! Lists are protected by spin locks, which are held for a few instructions, never while a callback runs.

use super::list_node::{Key, Place};
use super::task_records::{self, Record};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};

#[repr(align(64))]
struct List {
    locked: AtomicBool,
    oldest: AtomicU64,
    newest: AtomicU64,
}

const LISTS: usize = 64;
static ALL: [List; LISTS] = [const {
    let [oldest, newest] = [const { AtomicU64::new(0) }; 2];
    List { locked: AtomicBool::new(false), oldest, newest }
}; LISTS];

/// Adds a created task.
pub(super) fn add(record: &'static Record, key: Key) {
    List::with(key, |list| {
        let place = &record.place;
        place.creator.store(key.creator, Relaxed);
        place.region.store(key.region, Relaxed);
        place.older.store(list.newest.load(Relaxed), Relaxed);
        place.newer.store(0, Relaxed);
        place.listed.store(true, Relaxed);
        link_to(&list.oldest, place.older.load(Relaxed), |older| &older.newer, record.address());
        list.newest.store(record.address(), Relaxed);
    });
}

/// Removes a task of that key, which begins on a thread that is creating the task with the record `creating`, if any.
pub(super) fn take(key: Key, creating: Option<&'static Record>) -> Option<&'static Record> {
    List::with(key, |list| {
        let oldest = task_records::at(list.oldest.load(Relaxed));
        let mut waiting = std::iter::successors(oldest, |record| task_records::at(record.place.newer.load(Relaxed)));
        let record = match creating.filter(|record| record.place.listed.load(Relaxed) && record.place.is_of(key)) {
            Some(own) => own,
            None => waiting.find(|record| record.place.is_of(key))?,
        };
        let (older, newer) = (record.place.older.load(Relaxed), record.place.newer.load(Relaxed));
        link_to(&list.oldest, older, |older| &older.newer, newer);
        link_to(&list.newest, newer, |newer| &newer.older, older);
        record.place.listed.store(false, Relaxed);
        Some(record)
    })
}

/// Clears the lists in a forked child: tasks that other threads were about to begin are gone, and so are threads that held
/// locks.
pub(super) fn forget() {
    for list in &ALL {
        list.oldest.store(0, Relaxed);
        list.newest.store(0, Relaxed);
        list.locked.store(false, Relaxed);
    }
}

/// Sets that end of a list, or the link of the record at `neighbour` if there is one, to `target`.
fn link_to(end: &AtomicU64, neighbour: u64, link: impl Fn(&Place) -> &AtomicU64, target: u64) {
    match task_records::at(neighbour) {
        Some(record) => link(&record.place).store(target, Relaxed),
        None => end.store(target, Relaxed),
    }
}

impl List {
    /// Runs `work` with the key's list, under its lock.
    fn with<T>(key: Key, work: impl FnOnce(&Self) -> T) -> T {
        let mixed = (key.creator ^ key.region.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        #[allow(clippy::cast_possible_truncation, clippy::indexing_slicing)] // six bits, and so many lists
        let list = &ALL[(mixed >> 58) as usize];
        // Acquire: pairs with the Release store of `locked` below, which publishes the last owner's writes to the list.
        while list.locked.swap(true, Acquire) {
            while list.locked.load(Relaxed) {
                std::thread::yield_now();
            }
        }
        let result = work(list);
        // Release: pairs with the Acquire swap of `locked` above.
        list.locked.store(false, Release);
        result
    }
}
