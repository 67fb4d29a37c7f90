//! Links between records that are never freed.
#![allow(unsafe_code)] // links are pointers

use crate::sync::{AtomicPtr, Ordering, const_unless_loom};
use std::ptr;

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

impl<T: Sync + 'static> Link<T> {
    const_unless_loom! {
        /// A link to nothing.
        pub none => Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// The target. Async-signal-safe.
    #[inline]
    pub fn get(&self) -> Option<&'static T> {
        // SAFETY: null, or stored by `set` or `replace` from a reference that is valid for ever.
        // Acquire: pairs with the store in `set` and the exchange in `replace`; publishes the target's contents.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Points the link elsewhere (Release): earlier writes to the target are visible to a thread that follows the link.
    #[inline]
    pub fn set(&self, target: Option<&'static T>) {
        // Release: pairs with the load in `get` and the swap in `take`; publishes the target's contents.
        self.0.store(Self::raw(target), Ordering::Release);
    }

    /// Points the link from `old` to `new`; false if it did not point to `old`.
    pub fn replace(&self, old: Option<&'static T>, new: &'static T) -> bool {
        // Release: pairs with the load in `get` and the swap in `take`; publishes the contents of `new`. Acquire: with
        // earlier stores.
        self.0.compare_exchange(Self::raw(old), Self::raw(Some(new)), Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Points the link to nothing, and returns its old target.
    pub fn take(&self) -> Option<&'static T> {
        // SAFETY: null, or stored by `set` or `replace` from a reference that is valid for ever.
        // Acquire: pairs with the store in `set` and the exchange in `replace`; publishes the target's contents.
        unsafe { self.0.swap(ptr::null_mut(), Ordering::AcqRel).as_ref() }
    }

    /// True if the link points to this very record.
    #[inline]
    pub fn is(&self, target: &'static T) -> bool {
        ptr::eq(self.0.load(Ordering::Relaxed), target)
    }

    fn raw(target: Option<&'static T>) -> *mut T {
        target.map_or(ptr::null_mut(), |t| ptr::from_ref(t).cast_mut())
    }
}

/// Mark in the lowest bit of a tagged word.
const TAG: usize = 1;

/// A reference as a word, which is odd and so distinct from addresses that may be stored in the same place.
pub fn tagged_word<T>(target: &'static T) -> usize {
    const { assert!(align_of::<T>() > TAG) };
    ptr::from_ref(target).expose_provenance() | TAG
}

/// The reference that a word holds; `None` for an even word.
///
/// # Safety
/// An odd word comes from [`tagged_word`], called for a `T`.
#[inline]
pub unsafe fn of_tagged_word<T>(word: usize) -> Option<&'static T> {
    if word & TAG == 0 {
        return None;
    }
    // SAFETY: the word is odd, so `tagged_word` made it from a reference that is valid for ever, by this function's
    // `# Safety`.
    unsafe { ptr::with_exposed_provenance::<T>(word & !TAG).as_ref() }
}

/// An atomic reference to a value that is never freed. Reading it is async-signal-safe.
#[repr(transparent)]
#[derive(Debug)]
pub struct AtomicRef<T>(AtomicPtr<T>);

impl<T: Sync + 'static> AtomicRef<T> {
    /// A reference to that value.
    #[cfg(not(loom))]
    pub const fn to(target: &'static T) -> Self {
        Self(AtomicPtr::new(ptr::from_ref(target).cast_mut()))
    }

    /// A reference to that value.
    #[cfg(loom)]
    pub fn to(target: &'static T) -> Self {
        Self(AtomicPtr::new(ptr::from_ref(target).cast_mut()))
    }

    /// The value. Async-signal-safe.
    #[inline(always)]
    pub fn get(&self) -> &'static T {
        // SAFETY: `to` and `set` store only references that are valid for ever.
        // Acquire: pairs with the store in `set`; publishes the target's contents.
        unsafe { &*self.0.load(Ordering::Acquire) }
    }

    /// Refers to another value (Release): earlier writes to it are visible to a thread that reads it through this
    /// reference.
    pub fn set(&self, target: &'static T) {
        // Release: pairs with the load in `get`; publishes the target's contents.
        self.0.store(ptr::from_ref(target).cast_mut(), Ordering::Release);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_tagged_word_is_distinguished_from_an_address() {
        static TARGET: u64 = 7;
        // SAFETY: one word is from `tagged_word`, the other one is even.
        let found = |word| unsafe { of_tagged_word::<u64>(word) };
        let address = ptr::from_ref(&TARGET).addr();
        assert_eq!((found(tagged_word(&TARGET)), found(address)), (Some(&7), None));
    }
}
