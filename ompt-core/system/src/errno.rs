//! Saves and restores errno around work that may change it.
#![allow(unsafe_code)] // errno is a thread-local of the C library

/// The calling thread's errno at some moment.
///
/// ```
/// use system::errno::Errno;
///
/// let errno = Errno::save();
/// // Work that may change errno.
/// errno.restore();
/// ```
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
        // SAFETY: `location` returned the calling thread's own errno, which is aligned and lives as long as the thread
        // (errno(3)).
        Self { place, value: unsafe { place.read() } }
    }

    /// Writes the saved value back to errno. Async-signal-safe.
    #[inline(always)]
    pub fn restore(self) {
        // SAFETY: `place` is this same thread's errno: the type is not `Send`.
        unsafe { self.place.write(self.value) };
    }
}

/// The address of the calling thread's errno, the same for as long as the thread lives. Async-signal-safe.
#[inline]
pub fn location() -> *mut i32 {
    // SAFETY: takes no arguments, and is async-signal-safe (glibc implements it as one address computation).
    unsafe { libc::__errno_location() }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn get() -> i32 {
        // SAFETY: this thread's own errno.
        unsafe { location().read() }
    }

    pub(crate) fn set(value: i32) {
        // SAFETY: this thread's own errno.
        unsafe { location().write(value) };
    }

    #[test]
    fn changes_between_save_and_restore_are_undone() {
        set(libc::EAGAIN);
        let errno = Errno::save();
        set(libc::EINVAL);
        errno.restore();
        assert_eq!(get(), libc::EAGAIN);
    }
}
