//! The address of each thread's errno, kept with the thread: callbacks may not change errno, and the C library need not be asked for
//! it at each event.
#![allow(unsafe_code)] // errno is a thread-local of the C library

use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use system::errno::location;

/// The address of a thread's errno. Only that thread uses it.
#[derive(Debug)]
pub(crate) struct Place(AtomicPtr<i32>);

system::zeroed!(Place { 0 });

impl Place {
    /// Makes it the calling thread's.
    pub(crate) fn note(&self) {
        self.0.store(location(), Relaxed);
    }

    /// The value of errno on the thread, which is the calling one.
    #[inline(always)]
    pub(crate) fn get(&self) -> i32 {
        let place = self.0.load(Relaxed);
        // SAFETY: `note` stored the address of this thread's errno when the thread was first seen; this is the calling thread.
        unsafe { place.read() }
    }

    /// Gives errno this value on the thread, which is the calling one.
    #[inline(always)]
    pub(crate) fn set(&self, value: i32) {
        let place = self.0.load(Relaxed);
        // SAFETY: `note` stored the address of this thread's errno when the thread was first seen; this is the calling thread.
        unsafe { place.write(value) };
    }
}
