//! errno, put aside while we do something that may change it.
#![allow(unsafe_code)] // errno is a thread-local of the C library

use crate::thread::Thread;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// The thread's errno, put aside while we do something that may change it.
#[derive(Clone, Copy, Debug)]
pub struct Errno {
    place: *mut i32,
    value: i32,
}

impl Errno {
    /// Reads errno. Async-signal-safe.
    #[inline]
    pub fn save() -> Self {
        let place = location();
        // SAFETY: the calling thread's own errno.
        Self { place, value: unsafe { place.read() } }
    }

    /// Writes it back.
    #[inline(always)]
    pub fn restore(self) {
        // SAFETY: the same thread's errno: the type is not `Send`.
        unsafe { self.place.write(self.value) };
    }
}

#[inline]
fn location() -> *mut i32 {
    // SAFETY: takes nothing, and is async-signal-safe.
    unsafe { libc::__errno_location() }
}

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
        // SAFETY: noted when the thread was first seen, and the thread is the calling one.
        unsafe { place.read() }
    }

    /// Gives errno this value.
    #[inline(always)]
    pub(crate) fn set_errno(&'static self, value: i32) {
        let place = self.errno().0.load(Relaxed);
        // SAFETY: as above.
        unsafe { place.write(value) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(value: i32) {
        // SAFETY: this thread's own.
        unsafe { location().write(value) };
    }

    #[test]
    fn what_changed_meanwhile_is_forgotten() {
        set(libc::EAGAIN);
        let errno = Errno::save();
        set(libc::EINVAL);
        errno.restore();
        // SAFETY: as above.
        assert_eq!(unsafe { location().read() }, libc::EAGAIN);
    }
}
