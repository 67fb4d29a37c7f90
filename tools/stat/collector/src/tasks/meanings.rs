//! Cache of what the program's calls mean for the tasks that are created in them: one for all threads of this process.
//!
//! Like the known objects, an entry is valid until the session ends, also if its code is unloaded. The number of places
//! of a thread's own table does not limit it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use stat_layout::loaded::place;

/// The meaning of a return address for the task that is created by its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    /// The task's origin.
    pub(super) place: u64,
    /// The call is that of a taskloop, whose chunks may also be run from within another one.
    pub(super) taskloop: bool,
}

/// Set-associative cache of meanings. All zero is an empty one.
#[derive(Debug)]
pub(super) struct Meanings {
    sets: [Set; SETS],
}

/// The calls within a piece of code. An entry is a return address, shifted, and the kind of call. So a single relaxed
/// access reads or writes all of it.
#[derive(Debug)]
#[repr(align(64))]
struct Set([AtomicU64; WAYS]);

/// Number of sets. Only the pages of sets in use are allocated.
const SETS: usize = 1 << 15;
/// Number of entries in a set.
const WAYS: usize = 8;
/// Size of the code whose calls share a set, as a power of two. Few calls that create tasks fit into it.
const CODE_BITS: u32 = 7;

const KIND_BITS: u32 = 2;
const TASK: u64 = 0;
const TASKLOOP: u64 = 1;
const CHUNK: u64 = 2;

/// The meanings in this process.
pub(super) static MEANINGS: Meanings = Meanings::new();

impl Meanings {
    pub(super) const fn new() -> Self {
        Self { sets: [const { Set([const { AtomicU64::new(0) }; WAYS]) }; SETS] }
    }

    /// The meaning of a return address, if it is in the cache.
    #[inline]
    pub(super) fn get(&self, returns_to: u64) -> Option<Meaning> {
        let mut entries = self.set(returns_to)?.iter().map(|entry| entry.load(Relaxed));
        let entry = entries.find(|entry| *entry != 0 && entry >> KIND_BITS == returns_to)?;
        let kind = entry & ((1 << KIND_BITS) - 1);
        let place = if kind == CHUNK { place::CHUNK } else { returns_to };
        Some(Meaning { place, taskloop: kind == TASKLOOP })
    }

    /// Enters a meaning, in place of another one if the set is full.
    pub(super) fn put(&self, returns_to: u64, meaning: Meaning) {
        let kind = match meaning {
            Meaning { taskloop: true, .. } => TASKLOOP,
            Meaning { place: place::CHUNK, .. } => CHUNK,
            Meaning { .. } => TASK,
        };
        let Some(set) = self.set(returns_to) else { return };
        let replaced = usize::try_from(returns_to).unwrap_or_default() % WAYS;
        let free = set.iter().find(|entry| entry.load(Relaxed) == 0).or_else(|| set.get(replaced));
        // An address of more bits is of no process: it would not be found again.
        if let Some(entry) = free.filter(|_| returns_to.leading_zeros() >= KIND_BITS) {
            entry.store(returns_to << KIND_BITS | kind, Relaxed);
        }
    }

    /// Forgets everything, before a new session.
    pub(super) fn clear(&self) {
        // A store would allocate pages that were never touched.
        let used = self.sets.iter().flat_map(|set| &set.0).filter(|entry| entry.load(Relaxed) != 0);
        used.for_each(|entry| entry.store(0, Relaxed));
    }

    /// The entries for an address. Neighbouring code has neighbouring sets, so that few pages are touched; distant code
    /// starts elsewhere.
    #[inline]
    fn set(&self, returns_to: u64) -> Option<&[AtomicU64; WAYS]> {
        let piece = returns_to >> CODE_BITS;
        let distant = (piece / SETS as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let number = usize::try_from(piece.wrapping_add(distant)).ok()? % SETS;
        self.sets.get(number).map(|set| &set.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of calls, of this many bytes each, whose meaning is not in the cache, in the second of two rounds.
    fn misses(meanings: &Meanings, calls: u64, bytes: u64) -> usize {
        meanings.clear();
        let mut missed = 0;
        for _ in 0..2 {
            missed = 0;
            for returns_to in (0..calls).map(|call| 0x5555_5555_4000 + call * bytes) {
                if meanings.get(returns_to).is_none() {
                    missed += 1;
                    meanings.put(returns_to, Meaning { place: returns_to, taskloop: false });
                }
            }
        }
        missed
    }

    #[test]
    fn the_calls_of_a_program_are_followed_once_however_many_there_are() {
        static CACHE: Meanings = Meanings::new();
        let counts = [(400, 53), (40_000, 101), (100_000, 37)];
        assert_eq!(counts.map(|(calls, bytes)| misses(&CACHE, calls, bytes)), [0; 3]);
    }

    #[test]
    fn a_full_cache_replaces_entries_and_answers_for_no_other_address() {
        static CACHE: Meanings = Meanings::new();
        let meanings = &CACHE;
        let addresses = || (0x1000..0x1100).filter(|address| address % 2 == 1);
        for returns_to in addresses() {
            let chunk = returns_to % 3 == 0;
            let place = if chunk { place::CHUNK } else { returns_to };
            let meaning = Meaning { place, taskloop: !chunk && returns_to % 5 == 0 };
            assert_eq!(meanings.get(returns_to), None);
            meanings.put(returns_to, meaning);
            assert_eq!(meanings.get(returns_to), Some(meaning));
        }
        assert!(addresses().all(|address| meanings.get(address + 1).is_none()));
        assert!(addresses().filter(|address| meanings.get(*address).is_some()).count() <= 2 * WAYS);
        meanings.clear();
        assert!(addresses().all(|address| meanings.get(address).is_none()));
        // No return address, and one that an entry can't hold.
        meanings.put(u64::MAX, Meaning { place: u64::MAX, taskloop: false });
        assert_eq!([0, u64::MAX].map(|address| meanings.get(address)), [None; 2]);
    }
}
