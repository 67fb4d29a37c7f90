//! Lossy hash set of the doacross iterations that are known to be done. A later iteration replaces an earlier one in the same slot. So an
//! iteration in the set is done; a missing one may also be done.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const SLOTS: usize = 1 << 13;

/// A 64-bit hash in each slot; 0: none.
static DONE: [AtomicU64; SLOTS] = [const { AtomicU64::new(0) }; SLOTS];

/// Hash of an iteration: the region's id, the loop's number in it, and the variables of its nest.
pub(super) fn hash(region: u64, nest: u64, numbers: impl Iterator<Item = i64>) -> u64 {
    let mix = |hash: u64, number: i64| {
        (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(number.cast_unsigned())
    };
    numbers.fold(region << 16 | nest & 0xffff, mix)
}

fn slot(iteration: u64) -> Option<&'static AtomicU64> {
    // The high bits are mixed best.
    let bits = u64::BITS - SLOTS.ilog2();
    DONE.get(usize::try_from(iteration.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> bits).ok()?)
}

/// Adds a done iteration.
#[inline(always)]
pub(super) fn add(iteration: u64) {
    slot(iteration).into_iter().for_each(|slot| slot.store(iteration, Relaxed));
}

/// True if the iteration is known to be done.
#[inline(always)]
pub(super) fn has(iteration: u64) -> bool {
    slot(iteration).is_some_and(|slot| slot.load(Relaxed) == iteration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iteration_is_done_when_it_was_posted_in_that_loop_of_that_region() {
        let numbers = [[3, 4], [4, 3], [-1, 0], [0, -1]];
        for (i, iteration) in numbers.into_iter().enumerate() {
            let it = hash(7, 1, iteration.into_iter());
            assert!(!has(it));
            add(it);
            assert!(has(it) && !has(hash(7, 2, iteration.into_iter())) && !has(hash(8, 1, iteration.into_iter())));
            assert!(numbers[i + 1..].iter().all(|other| !has(hash(7, 1, other.iter().copied()))));
        }
    }
}
