//! Numbers of threads (`ompt_thread_id_t`), from 1: unique across all threads of the process, including those that have ended (TR2, 4.1).
//! After [`reuse`]: the lowest number that no other living thread has. LLVM's runtime of TR2's time numbered its threads so, and tools of
//! that time have tables with a row for each thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};

/// Words of the bitmap of numbers that are reused; past its end every thread gets a new number.
const WORDS: usize = 64;
const BITS: u64 = u64::BITS as u64;

static REUSES: AtomicBool = AtomicBool::new(false);
static USED: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];
/// Count of the numbers that are not from the bitmap.
static NEW: AtomicU64 = AtomicU64::new(0);

/// Makes new threads reuse the numbers of threads that have ended. Called before the first thread is seen.
pub fn reuse() {
    REUSES.store(true, Relaxed);
}

/// Assigns a number to a thread that begins.
pub(super) fn take() -> u64 {
    if REUSES.load(Relaxed) { lowest_unused() } else { NEW.fetch_add(1, Relaxed) + 1 }
}

/// Returns the number of a thread that has ended.
pub(super) fn give_back(id: u64) {
    if REUSES.load(Relaxed) {
        release(id);
    }
}

fn lowest_unused() -> u64 {
    for (start, word) in (1..).step_by(u64::BITS as usize).zip(&USED) {
        let mut used = word.load(Relaxed);
        while used != u64::MAX {
            let bit = u64::from(used.trailing_ones());
            // Acquire: pairs with the `fetch_and` in `release`; what its last owner did with the number happens-before
            // its next use.
            match word.compare_exchange_weak(used, used | 1 << bit, Acquire, Relaxed) {
                Ok(_) => return start + bit,
                Err(now) => used = now,
            }
        }
    }
    WORDS as u64 * BITS + NEW.fetch_add(1, Relaxed) + 1
}

fn release(id: u64) {
    let Some(index) = id.checked_sub(1) else { return };
    if let Some(word) = usize::try_from(index / BITS).ok().and_then(|word| USED.get(word)) {
        // Release: pairs with the compare-exchange in `lowest_unused`.
        word.fetch_and(!(1 << (index % BITS)), Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_taken_twice_by_default() {
        let first = take();
        give_back(first);
        assert!(take() > first);
    }

    #[test]
    fn of_reused_numbers_the_lowest_is_taken_and_none_twice() {
        let own = [(); 100].map(|()| lowest_unused());
        assert!(own.windows(2).all(|pair| pair[0] < pair[1]));
        release(own[0]);
        assert_eq!(lowest_unused(), own[0]);
        own.into_iter().for_each(release);
    }

    #[test]
    fn what_is_not_a_number_of_the_table_is_not_given_back() {
        release(0);
        release(u64::MAX);
        release(WORDS as u64 * BITS + 1);
    }
}
