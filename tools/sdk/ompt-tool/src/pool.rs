//! Reusable records that are never freed.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread::yield_now;

/// Locks a mutex that is never held for long. `None` if it does not become free: in a forked child nobody unlocks what
/// another thread had locked at the fork.
pub fn lock_or_give_up<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    /// Number of attempts, between which other threads may run.
    const ATTEMPTS: usize = 1000;
    (0..ATTEMPTS).find_map(|_| match mutex.try_lock() {
        Ok(locked) => Some(locked),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => {
            yield_now();
            None
        }
    })
}

/// Pool of records for data words: each lives as long as the process, and can be returned for reuse.
///
/// A late reader may see a record in a different use, but never freed memory. So a record's fields are atomics, locks or constants, and its
/// user resets them. Not async-signal-safe.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
///
/// static POOL: ompt_tool::Pool<AtomicU64> = ompt_tool::Pool::new();
/// let begun = POOL.take(AtomicU64::default);
/// begun.store(1, Relaxed);
/// POOL.give_back(begun);
/// assert!(std::ptr::eq(begun, POOL.take(AtomicU64::default)));
/// ```
pub struct Pool<T: 'static> {
    free: Mutex<Vec<&'static T>>,
}

impl<T: Sync> Pool<T> {
    /// Creates an empty pool.
    pub const fn new() -> Self {
        Self { free: Mutex::new(Vec::new()) }
    }

    /// Returns a record that was given back, in the state in which it was left, or a new one.
    pub fn take(&self, new: impl FnOnce() -> T) -> &'static T {
        let free = lock_or_give_up(&self.free).and_then(|mut free| free.pop());
        free.unwrap_or_else(|| Box::leak(Box::new(new())))
    }

    /// Makes a record available for reuse.
    pub fn give_back(&self, record: &'static T) {
        if let Some(mut free) = lock_or_give_up(&self.free) {
            free.push(record);
        }
    }
}

impl<T: Sync> Default for Pool<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_that_nobody_unlocks_makes_new_records() {
        let pool = Pool::new();
        let first = pool.take(|| 1);
        pool.give_back(first);
        let held = pool.free.lock();
        let second = pool.take(|| 2);
        pool.give_back(second);
        drop(held);
        assert!(std::ptr::eq(pool.take(|| 3), first));
        assert_eq!((*second, *pool.take(|| 3)), (2, 3));
    }
}
