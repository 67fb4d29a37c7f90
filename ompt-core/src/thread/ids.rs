//! Numbers of living threads, from 1: the lowest that no other living thread has. LLVM's runtime of TR2's time numbered
//! its threads so, and tools of that time have tables with a row for each.

use std::sync::atomic::{AtomicU64, Ordering::*};

/// Words of the bitmap of numbers; beyond it every thread gets a new number.
const WORDS: usize = 64;
const BITS: u64 = u64::BITS as u64;

static USED: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];
static LAST: AtomicU64 = AtomicU64::new(WORDS as u64 * BITS);

/// Assigns a number to a thread that begins.
pub(super) fn take() -> u64 {
    for (start, word) in (1..).step_by(u64::BITS as usize).zip(&USED) {
        let mut used = word.load(Relaxed);
        while used != u64::MAX {
            let bit = u64::from(used.trailing_ones());
            // Acquire: pairs with the `fetch_and` in `give_back`; what its last owner did with the number
            // happens-before this one's use.
            match word.compare_exchange_weak(used, used | 1 << bit, Acquire, Relaxed) {
                Ok(_) => return start + bit,
                Err(now) => used = now,
            }
        }
    }
    LAST.fetch_add(1, Relaxed) + 1
}

/// Returns the number of a thread that has ended.
pub(super) fn give_back(id: u64) {
    let Some(index) = id.checked_sub(1) else { return };
    if let Some(word) = usize::try_from(index / BITS).ok().and_then(|word| USED.get(word)) {
        // Release: pairs with the compare-exchange in `take`.
        word.fetch_and(!(1 << (index % BITS)), Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_number_is_taken_and_none_twice() {
        let own = [(); 100].map(|()| take());
        let mut sorted = own;
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]));
        // Threads of other tests take numbers, too, so the test only requires that a returned number is low again.
        let (low, high) = (sorted[0], sorted[99]);
        give_back(low);
        assert!(take() < high);
        sorted.into_iter().skip(1).for_each(give_back);
    }

    #[test]
    fn what_is_no_number_of_the_table_is_not_given_back() {
        give_back(0);
        give_back(u64::MAX);
        give_back(WORDS as u64 * BITS + 1);
    }
}
