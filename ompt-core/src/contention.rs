//! Contention counters for mutexes of runtimes that report only that a thread is about to take a mutex, has taken it,
//! and has released it. They determine whether the thread has to wait.
//!
//! The counter of a mutex is the number of threads that request or hold it. A thread that finds others counted has to
//! wait. That is also true if the holder has just released the mutex: a waiting thread gets it first, or competes for
//! it. A counter also has the sum of its mutexes' tags, so that it is known of a single one which it is. Where several
//! mutexes share a counter, waits are reported that don't exist, but no real wait is missed.
//!
//! Each thread records what it has added, so the counters stay consistent if a tool attaches while mutexes are held.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Two of 1,000 requests of free mutexes find two held ones at their counter while 1,000 are held, one of nine while 10,000 are.
const COUNTERS: usize = 1 << 14;

/// The low half is a number of threads, the high half the sum of their mutexes' tags.
static COUNTS: [AtomicU64; COUNTERS] = [const { AtomicU64::new(0) }; COUNTERS];

/// Fibonacci hashing: the first bits choose a counter, the last 32 are the tag.
const fn hash(mutex: u64) -> u64 {
    mutex.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn index(mutex: u64) -> usize {
    usize::try_from(hash(mutex) >> (u64::BITS - COUNTERS.ilog2())).unwrap_or(0)
}

/// The amount by which one thread raises a mutex's counter.
fn one(mutex: u64) -> u64 {
    hash(mutex) << 32 | 1
}

#[allow(clippy::indexing_slicing)] // the shift keeps the index in bounds
fn counter(mutex: u64) -> &'static AtomicU64 {
    &COUNTS[index(mutex)]
}

/// Counts a thread that requests or holds a mutex; returns what the counter was before.
#[inline(always)]
fn count(mutex: u64) -> u64 {
    counter(mutex).fetch_add(one(mutex), Relaxed)
}

/// Takes back a [`count`].
#[inline(always)]
fn discount(mutex: u64) {
    counter(mutex).fetch_sub(one(mutex), Relaxed);
}

/// The number of a thread's held mutexes that are listed; further ones are only counted.
const LISTED: usize = 8;

/// The mutexes that one thread is counted for. Written by that thread alone.
#[derive(Debug)]
pub struct Mutexes {
    /// The mutex that the thread requests; 0: none.
    requested: AtomicU64,
    held: [AtomicU64; LISTED],
    listed: AtomicUsize,
    unlisted: AtomicUsize,
}

system::zeroed!(Mutexes { requested, held, listed, unlisted });

impl Mutexes {
    fn held(&self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator {
        self.held.iter().take(self.listed.load(Relaxed)).map(|mutex| mutex.load(Relaxed))
    }

    fn has(&self, mutex: u64) -> bool {
        self.held().any(|held| held == mutex)
    }

    /// Withdraws the thread's request: a try to take the mutex has failed.
    #[inline(always)]
    pub fn give_up(&self) {
        let wanted = self.requested.load(Relaxed);
        if wanted != 0 {
            self.requested.store(0, Relaxed);
            discount(wanted);
        }
    }

    #[inline(always)]
    fn list(&self, mutex: u64) {
        let listed = self.listed.load(Relaxed);
        if let Some(place) = self.held.get(listed) {
            place.store(mutex, Relaxed);
            self.listed.store(listed + 1, Relaxed);
        } else {
            self.unlisted.store(self.unlisted.load(Relaxed) + 1, Relaxed);
        }
    }

    /// Removes a mutex from the list; false if the thread was not counted for it. Usually it is the one that was
    /// acquired last.
    #[inline(always)]
    fn strike(&self, mutex: u64) -> bool {
        let last = self.listed.load(Relaxed).wrapping_sub(1);
        match self.held.get(last) {
            Some(place) if place.load(Relaxed) == mutex => {
                self.listed.store(last, Relaxed);
                true
            }
            _ => self.strike_any(mutex),
        }
    }

    #[cold]
    fn strike_any(&self, mutex: u64) -> bool {
        let Some(place) = self.held().rposition(|held| held == mutex) else {
            let unlisted = self.unlisted.load(Relaxed);
            self.unlisted.store(unlisted.saturating_sub(1), Relaxed);
            return unlisted != 0;
        };
        let last = self.listed.load(Relaxed) - 1;
        if let (Some(place), Some(last)) = (self.held.get(place), self.held.get(last)) {
            place.store(last.load(Relaxed), Relaxed);
        }
        self.listed.store(last, Relaxed);
        true
    }

    /// Counts the thread's request of a mutex. True if it has to wait. A thread doesn't wait for a nestable mutex that
    /// it holds.
    #[inline(always)]
    pub fn request(&self, mutex: u64, nestable: bool) -> bool {
        self.give_up();
        if self.listed.load(Relaxed) != 0 && self.has(mutex) {
            if nestable {
                return false;
            }
            // The end of an earlier hold was not reported.
            self.release(mutex);
        }
        self.requested.store(mutex, Relaxed);
        let counted = count(mutex);
        counted != 0 && self.is_requested_by_others(mutex, counted)
    }

    /// True if the mutex can be among those counted that aren't this thread's own.
    #[cold]
    fn is_requested_by_others(&self, mutex: u64, counted: u64) -> bool {
        let own = self.held().filter(|held| index(*held) == index(mutex));
        let others = own.fold(counted, |counted, held| counted.wrapping_sub(one(held)));
        let threads = others & u64::from(u32::MAX);
        threads > 1 || others == one(mutex)
    }

    /// Records that the thread has acquired the mutex.
    #[inline(always)]
    pub fn acquire(&self, mutex: u64) {
        if self.requested.load(Relaxed) == mutex {
            self.requested.store(0, Relaxed);
        } else {
            // It was acquired in a try.
            self.give_up();
            count(mutex);
        }
        self.list(mutex);
    }

    /// Records that the thread has released the mutex.
    #[inline(always)]
    pub fn release(&self, mutex: u64) {
        if self.strike(mutex) {
            discount(mutex);
        }
    }

    /// Withdraws everything that the thread is counted for, at the thread's end.
    pub(crate) fn leave(&self) {
        self.give_up();
        self.held().for_each(discount);
        self.forget();
    }

    /// Recounts in a forked child: the calling thread's mutexes are the only ones left.
    pub(crate) fn survive(&self) {
        // What was never counted is not written: its memory need not exist.
        COUNTS.iter().filter(|count| count.load(Relaxed) != 0).for_each(|count| count.store(0, Relaxed));
        self.held().for_each(|mutex| _ = count(mutex));
        self.requested.store(0, Relaxed);
        self.unlisted.store(0, Relaxed);
    }

    /// Clears the record of a thread that is gone, without touching the counters.
    pub(crate) fn forget(&self) {
        self.requested.store(0, Relaxed);
        self.listed.store(0, Relaxed);
        self.unlisted.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::{Thread, here};
    use std::thread;

    /// Runs `first` on this thread, then `other` on another one.
    fn on_two(first: impl FnOnce(&'static Thread), other: impl FnOnce(&'static Thread) + Send) {
        first(here().unwrap());
        thread::scope(|scope| scope.spawn(|| other(here().unwrap())).join().unwrap());
    }

    #[test]
    fn a_thread_waits_for_a_mutex_that_another_one_requests_or_holds() {
        on_two(
            |me| {
                assert!(!me.mutexes.request(0x1000, false));
            },
            |other| {
                assert!(other.mutexes.request(0x1000, false));
                other.mutexes.give_up();
            },
        );
        on_two(
            |me| me.mutexes.acquire(0x1000),
            |other| {
                assert!(other.mutexes.request(0x1000, false) && !other.mutexes.request(0x2000, false));
                other.mutexes.give_up();
            },
        );
        let me = here().unwrap();
        me.mutexes.release(0x1000);
        on_two(|_| {}, |other| assert!(!other.mutexes.request(0x1000, false)));
    }

    /// Mutexes with the same counter.
    fn twins(mutex: u64) -> impl Iterator<Item = u64> {
        (mutex + 1..).filter(move |it| index(*it) == index(mutex))
    }

    #[test]
    fn a_single_held_mutex_is_told_from_others_with_its_counter() {
        let free = 0x9000;
        let mut twins = twins(free);
        let held = [(); 2].map(|()| twins.next().unwrap());
        let me = here().unwrap();
        me.mutexes.acquire(held[0]);
        let asks_for = |mutex, waits| {
            move |other: &'static Thread| {
                assert_eq!(other.mutexes.request(mutex, false), waits);
                other.mutexes.give_up();
            }
        };
        on_two(|_| {}, asks_for(free, false));
        on_two(|_| {}, asks_for(held[0], true));
        // Of two, the free one could be the second. No wait may be missed.
        me.mutexes.acquire(held[1]);
        on_two(|_| {}, asks_for(free, true));
        held.iter().for_each(|mutex| me.mutexes.release(*mutex));
        assert_eq!(counter(free).load(Relaxed), 0);
    }

    #[test]
    fn what_a_thread_has_itself_is_nothing_to_wait_for() {
        let me = here().unwrap();
        // Two mutexes with the same counter.
        let one = 0x3000;
        let twin = twins(one).next().unwrap();
        assert!(!me.mutexes.request(one, true));
        me.mutexes.acquire(one);
        assert!(!me.mutexes.request(one, true));
        assert!(!me.mutexes.request(twin, false));
        me.mutexes.acquire(twin);
        me.mutexes.release(one);
        me.mutexes.release(twin);
        assert_eq!(counter(one).load(Relaxed), 0);
    }

    #[test]
    fn more_mutexes_than_are_listed_are_released_all() {
        let me = here().unwrap();
        let mutexes = (1..2 * LISTED as u64).map(|i| 0xabc_0000 + i);
        mutexes.clone().for_each(|mutex| me.mutexes.acquire(mutex));
        mutexes.clone().for_each(|mutex| me.mutexes.release(mutex));
        assert!(mutexes.clone().all(|mutex| counter(mutex).load(Relaxed) == 0));
        // A mutex whose acquisition was not seen.
        me.mutexes.release(0xabc_0001);
        assert_eq!(counter(0xabc_0001).load(Relaxed), 0);
    }

    #[test]
    fn a_thread_that_ends_requests_and_holds_nothing() {
        let run = |thread: &'static Thread| {
            thread.mutexes.acquire(0x7000);
            assert!(!thread.mutexes.request(0x7008, false));
            thread.mutexes.leave();
        };
        on_two(|_| {}, run);
        assert!([0x7000, 0x7008].iter().all(|mutex| counter(*mutex).load(Relaxed) == 0));
    }
}
