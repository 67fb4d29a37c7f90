//! Memory for records: zeroed pages that are never freed.
//!
//! A record may be read by a delayed thread, or by a signal handler, after its owner has moved on. Because the memory
//! is never reused for anything else, such a reader finds an old or a new record, never a bad pointer.
#![allow(unsafe_code)] // memory comes from mmap

use super::page_size::SMALLEST_PAGE;
use super::pages::pages;
use crate::warning;

/// Types of which zeroed memory is a valid, empty value, and which every thread may read at any time.
///
/// # Safety
/// All bytes zero is a valid value of the type.
pub unsafe trait Zeroed: Sync + 'static {}

/// Implements [`Zeroed`] for a struct whose fields all are: `zeroed!(Pair { first, second });`. It doesn't compile if a
/// field is missing, or has a type that is not [`Zeroed`].
#[macro_export]
macro_rules! zeroed {
    ($(<$parameter:ident: $bound:path>)? $name:ident { $($field:tt),* $(,)? }) => {
        // SAFETY: `check` names every field of the struct, and each is `Zeroed`: zero is a value of all of them.
        unsafe impl $(<$parameter: $bound>)? $crate::memory::Zeroed for $name $(<$parameter>)? {}

        const _: () = {
            #[allow(dead_code)]
            fn check$(<$parameter: $bound>)?(record: &$name $(<$parameter>)?) {
                const fn is_zeroed<T: $crate::memory::Zeroed>(_: &T) {}
                let $name { $($field: _),* } = record;
                $(is_zeroed(&record.$field);)*
            }
        };
    };
}

#[cfg(not(loom))]
mod values {
    use super::Zeroed;
    use crate::memory::{Generation, Link, ReaderPin};
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize};

    macro_rules! atomics {
        ($($name:ident)*) => {
            $(
                // SAFETY: an atomic integer or `bool`, or a struct of one: zero is a value (std, "same bit validity").
                unsafe impl Zeroed for $name {}
            )*
        };
    }

    atomics! { AtomicBool AtomicI32 AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicUsize Generation ReaderPin }

    // SAFETY: zero is the null pointer, a value of the type.
    unsafe impl<T: 'static> Zeroed for AtomicPtr<T> {}

    // SAFETY: a link is an `AtomicPtr` (`repr(transparent)`), of which zero is the null pointer.
    unsafe impl<T: 'static> Zeroed for Link<T> {}

    // SAFETY: an array of zeros, each of which is a value.
    unsafe impl<T: Zeroed, const N: usize> Zeroed for [T; N] {}
}

/// Maps `count` zeroed values. `None` if the system refuses memory. Never unmapped. Keeps errno.
#[cold]
pub fn slice<T: Zeroed>(count: usize) -> Option<&'static [T]> {
    const { assert!(align_of::<T>() <= SMALLEST_PAGE) };
    let Some(start) = count.checked_mul(size_of::<T>()).and_then(|bytes| pages(bytes.max(1))) else {
        warning::of_refused_memory();
        return None;
    };
    // SAFETY: enough zero bytes at a page's start, never unmapped; zero is a valid `T` by its `Zeroed`.
    Some(unsafe { std::slice::from_raw_parts(start.as_ptr().cast(), count) })
}

/// One zeroed page of records, or as many pages as one record needs. `None` if the system refuses memory. Never unmapped. Keeps errno.
#[cold]
pub fn page<T: Zeroed>() -> Option<&'static [T]> {
    // The system rounds up to its own page size.
    let bytes = size_of::<T>().next_multiple_of(SMALLEST_PAGE).max(SMALLEST_PAGE);
    let Some(start) = pages(bytes) else {
        warning::of_refused_memory();
        return None;
    };
    // SAFETY: `bytes` zero bytes at a page's start, never unmapped; zero is a valid `T` by its `Zeroed`.
    Some(unsafe { std::slice::from_raw_parts(start.as_ptr().cast(), bytes / size_of::<T>()) })
}
