//! Number of reports about each pair of stacks. ThreadSanitizer makes one report at a time, so no two threads count at once.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::report::Report;

/// Most pairs that are counted; others pass for often seen.
const MOST: usize = 512;

/// A pair of stacks, by its hash; 0: none.
struct Pair {
    hash: AtomicU64,
    times: AtomicU32,
}

static PAIRS: [Pair; MOST] = [const { Pair { hash: AtomicU64::new(0), times: AtomicU32::new(0) } }; MOST];

/// Counts a report, and returns how many there were about its pair of stacks.
pub(crate) fn count(report: &Report) -> u32 {
    let [first, second] = report.accesses.each_ref().map(|access| hash(access.frames()));
    count_pair(first ^ second.rotate_left(1) | 1)
}

fn count_pair(pair: u64) -> u32 {
    let known = |place: &&Pair| [0, pair].contains(&place.hash.load(Relaxed));
    let Some(place) = PAIRS.iter().find(known) else { return u32::MAX };
    place.hash.store(pair, Relaxed);
    place.times.fetch_add(1, Relaxed) + 1
}

/// FNV-1a of addresses.
fn hash(addresses: impl Iterator<Item = usize>) -> u64 {
    addresses.fold(0xcbf2_9ce4_8422_2325, |hash, address| (hash ^ address as u64).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_is_counted_until_there_are_too_many() {
        assert_eq!([count_pair(1), count_pair(3), count_pair(1)], [1, 1, 2]);
        (0..MOST as u64).for_each(|number| _ = count_pair(2 * number + 5));
        assert_eq!((count_pair(u64::MAX), count_pair(3)), (u32::MAX, 2));
        assert_ne!(hash([1, 2].into_iter()), hash([2, 1].into_iter()));
    }
}
