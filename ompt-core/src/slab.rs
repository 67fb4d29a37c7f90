//! Memory for records: zeroed pages that are never given back, and links between the records in them.
//!
//! A record may be read by a thread that comes late, or by a signal handler, after its owner has moved on. Because the
//! memory stays what it was, such a reader finds an old or a new record, never a bad pointer.
#![allow(unsafe_code)] // memory comes from mmap; links are pointers

use crate::errno::Errno;
use crate::warning;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Types for which all bytes zero is a valid, empty value, and which every thread may read at any time.
///
/// # Safety
/// All bytes zero is a valid value of the type.
pub unsafe trait Zeroed: Sync + 'static {}

/// One page of records, or `None` when the system refuses memory. Keeps errno.
#[cold]
pub fn page<T: Zeroed>() -> Option<&'static [T]> {
    const PAGE: usize = 4096;
    let bytes = PAGE.max(size_of::<T>().next_multiple_of(PAGE));
    let errno = Errno::save();
    // SAFETY: an anonymous private mapping at an address of the system's choice touches no memory of ours.
    let start = unsafe {
        libc::mmap(
            ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        errno.restore();
        warning::of_refused_memory();
        return None;
    }
    errno.restore();
    // SAFETY: `bytes` zero bytes at a page's start, never unmapped; zero is a valid `T` by its `Zeroed`.
    Some(unsafe { std::slice::from_raw_parts(start.cast(), bytes / size_of::<T>()) })
}

/// A pointer to a record, or none. Reading it is async-signal-safe.
#[repr(transparent)]
pub struct Link<T>(AtomicPtr<T>);

impl<T> std::fmt::Debug for Link<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> Default for Link<T> {
    fn default() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }
}

impl<T: Zeroed> Link<T> {
    /// A link to nothing.
    pub const fn none() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// What the link points to.
    #[inline]
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: null, or stored by `set` or `replace` from a reference that is valid for ever.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Points the link elsewhere; what was written to the target before is seen by whoever follows the link.
    #[inline]
    pub fn set(&self, target: Option<&'static T>) {
        self.0.store(Self::raw(target), Ordering::Release);
    }

    /// Points the link from `old` to `new`; false if it did not point to `old`.
    pub fn replace(&self, old: Option<&'static T>, new: &'static T) -> bool {
        self.0.compare_exchange(Self::raw(old), Self::raw(Some(new)), Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Points the link to nothing, and says where it pointed to.
    pub fn take(&self) -> Option<&'static T> {
        // SAFETY: as in `get`.
        unsafe { self.0.swap(ptr::null_mut(), Ordering::AcqRel).as_ref() }
    }

    /// Whether the link points to this very record.
    #[inline]
    pub fn is(&self, target: &'static T) -> bool {
        ptr::eq(self.0.load(Ordering::Relaxed), target)
    }

    fn raw(target: Option<&'static T>) -> *mut T {
        target.map_or(ptr::null_mut(), |t| ptr::from_ref(t).cast_mut())
    }
}
