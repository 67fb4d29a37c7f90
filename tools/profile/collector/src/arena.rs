//! Bump allocator: memory is taken piece by piece and never freed. Unsafe: creating references to it.
#![allow(unsafe_code)]

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicPtr, AtomicUsize};

use crate::system;

/// A bump allocator of words, up to a limit; memory is mapped at the first use and touched as needed.
/// Async-signal-safe: a mapping and an addition.
#[derive(Debug)]
pub(crate) struct Arena {
    base: AtomicPtr<u64>,
    used: AtomicUsize,
    words: usize,
}

impl Arena {
    pub(crate) const fn new(words: usize) -> Self {
        Self { base: AtomicPtr::new(std::ptr::null_mut()), used: AtomicUsize::new(0), words }
    }

    /// True if memory could be reserved.
    pub(crate) fn is_there(&self) -> bool {
        self.base().is_some()
    }

    /// Takes a sequence of zero words that belongs to the caller alone.
    pub(crate) fn take(&self, words: usize) -> Option<&'static mut [u64]> {
        let base = self.base()?;
        let more = |used: usize| used.checked_add(words).filter(|used| *used <= self.words);
        let at = self.used.fetch_update(Relaxed, Relaxed, more).ok()?;
        // SAFETY: within the mapping, which has `self.words` words.
        let begin = unsafe { base.add(at) };
        // SAFETY: these words were given to no other caller, are zeros, and stay mapped forever.
        Some(unsafe { std::slice::from_raw_parts_mut(begin, words) })
    }

    /// Copies some words, and returns the copy's index.
    pub(crate) fn keep_words(&self, words: &[u64]) -> Option<usize> {
        let room = self.take(words.len())?;
        for (to, from) in room.iter_mut().zip(words) {
            *to = *from;
        }
        Some((room.as_ptr().addr() - self.base()?.addr()) / 8)
    }

    /// The words of a copy at this index, if that many were taken.
    ///
    /// # Safety
    /// They were kept by [`Self::keep_words`], and the caller has seen that it returned.
    pub(crate) unsafe fn kept(&self, at: usize, words: usize) -> Option<&'static [u64]> {
        // Acquire: pairs with the compare-exchange in `base`; publishes the mapping.
        let base = self.base.load(Acquire);
        if base.is_null() || at.checked_add(words)? > self.used.load(Relaxed) {
            return None;
        }
        // SAFETY: `at + words` is at most `used`, checked above, and `take` keeps `used` within the mapping.
        let begin = unsafe { base.add(at) };
        // SAFETY: `keep_words` has returned and all writers are done, by this function's `# Safety`; the words
        // stay mapped forever.
        Some(unsafe { std::slice::from_raw_parts(begin, words) })
    }

    /// Copies some bytes.
    pub(crate) fn keep(&self, bytes: &[u8]) -> Option<&'static [u8]> {
        let words = self.take(bytes.len().div_ceil(8))?;
        // SAFETY: words are bytes, and these are borrowed forever.
        let room = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), bytes.len()) };
        room.copy_from_slice(bytes);
        Some(room)
    }

    fn base(&self) -> Option<*mut u64> {
        // Acquire: pairs with the compare-exchange below; publishes the mapping.
        let base = self.base.load(Acquire);
        if !base.is_null() {
            return Some(base);
        }
        let fresh = system::zeros(self.words * 8)?.cast::<u64>();
        // Release: pairs with the loads of `base`; publishes the mapping. Acquire: pairs with this exchange of another thread.
        match self.base.compare_exchange(base, fresh, AcqRel, Acquire) {
            Ok(_) => Some(fresh),
            Err(theirs) => {
                // SAFETY: mapped just now by `zeros`; the exchange failed, so no other thread knows it.
                unsafe { system::unmap(fresh.cast(), self.words * 8) };
                Some(theirs)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_apart_and_end_with_the_memory() {
        static ARENA: Arena = Arena::new(10);
        let first = ARENA.take(4).unwrap();
        first.fill(7);
        assert!(ARENA.take(6).unwrap().iter().all(|word| *word == 0));
        assert!(ARENA.take(1).is_none());
        assert!(first.iter().all(|word| *word == 7));
    }

    #[test]
    fn bytes_are_copied() {
        static ARENA: Arena = Arena::new(10);
        assert_eq!(ARENA.keep(b"/lib/libc.so.6").unwrap(), b"/lib/libc.so.6");
        assert_eq!(ARENA.keep(b"").unwrap(), b"");
    }
}
