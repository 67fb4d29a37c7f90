//! The address of each thread's errno, cached in the thread's record. Callbacks must not change errno, and a call of
//! the C library at each event would be slow.
#![allow(unsafe_code)] // errno is a thread-local of the C library

use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use system::errno::location;

/// The address of a thread's errno. Only that thread uses it.
#[derive(Debug)]
pub(crate) struct Place(AtomicPtr<i32>);

system::zeroed!(Place { 0 });

impl Place {
    /// Stores the address of the calling thread's errno.
    pub(crate) fn note(&self) {
        self.0.store(location(), Relaxed);
    }

    /// The value of errno on the thread, which must be the calling one.
    #[inline(always)]
    pub(crate) fn get(&self) -> i32 {
        let place = self.0.load(Relaxed);
        // SAFETY: `note` stored the address of this thread's errno when the thread was first seen; this is the calling
        // thread.
        unsafe { place.read() }
    }

    /// Sets errno on the thread, which must be the calling one.
    #[inline(always)]
    pub(crate) fn set(&self, value: i32) {
        let place = self.0.load(Relaxed);
        // SAFETY: `note` stored the address of this thread's errno when the thread was first seen; this is the calling
        // thread.
        unsafe { place.write(value) };
    }
}
