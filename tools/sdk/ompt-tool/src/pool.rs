//! Reusable records that are never freed.

use std::sync::{Mutex, PoisonError};

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
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| Box::leak(Box::new(new())))
    }

    /// Makes a record available for reuse.
    pub fn give_back(&self, record: &'static T) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(record);
    }
}

impl<T: Sync> Default for Pool<T> {
    fn default() -> Self {
        Self::new()
    }
}
