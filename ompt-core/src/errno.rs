//! The place of each thread's errno, kept with the thread: callbacks may not change errno, and the C library need not be asked for
//! it at each event.
#![allow(unsafe_code)] // errno is a thread-local of the C library

use crate::thread::Thread;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use system::errno::location;

/// Where a thread's errno lies, so that the C library need not be asked at each event.
#[derive(Debug)]
pub(crate) struct Place(AtomicPtr<i32>);

impl Place {
    /// It is the calling thread's.
    pub(crate) fn note(&self) {
        self.0.store(location(), Relaxed);
    }
}

impl Thread {
    /// The value of errno on this, the calling thread.
    #[inline(always)]
    pub(crate) fn errno_now(&'static self) -> i32 {
        let place = self.errno().0.load(Relaxed);
        // SAFETY: `Place::note` stored the address of this thread's errno when the thread was first seen; this is the calling
        // thread.
        unsafe { place.read() }
    }

    /// Gives errno this value.
    #[inline(always)]
    pub(crate) fn set_errno(&'static self, value: i32) {
        let place = self.errno().0.load(Relaxed);
        // SAFETY: `Place::note` stored the address of this thread's errno when the thread was first seen; this is the calling
        // thread.
        unsafe { place.write(value) };
    }
}
