//! Memory for records: zeroed pages that are never given back.
//!
//! A record may be read by a thread that comes late, or by a signal handler, after its owner has moved on. Because the
//! memory stays what it was, such a reader finds an old or a new record, never a bad pointer.
#![allow(unsafe_code)] // memory comes from mmap

use crate::errno::Errno;
use crate::warning;
use std::ptr;

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
