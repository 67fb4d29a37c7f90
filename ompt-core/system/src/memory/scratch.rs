//! Temporary memory. If the system refuses memory, a static reserve serves what must not fail then.
#![allow(unsafe_code)] // memory comes from mmap: nothing is allocated on a program's thread

use crate::warning;
use std::cell::{Cell, UnsafeCell};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::*};

/// Size of the reserve. It takes physical memory only once it is written to.
const BYTES: usize = 1 << 17;

struct Reserve {
    taken: AtomicBool,
    words: UnsafeCell<[u64; BYTES / 8]>,
}

// SAFETY: only the thread that has set `taken` in `Scratch::of` accesses `words`, until it drops that `Scratch`.
unsafe impl Sync for Reserve {}

static RESERVE: Reserve = Reserve { taken: AtomicBool::new(false), words: UnsafeCell::new([0; BYTES / 8]) };

/// A block of bytes that arrays are cut from; freed on drop.
#[derive(Debug)]
pub struct Scratch {
    start: *mut u8,
    bytes: usize,
    /// The number of bytes that arrays already occupy.
    used: Cell<usize>,
}

impl Scratch {
    /// `None` if the system refuses, and the reserve is too small or in use.
    pub fn of(bytes: usize) -> Option<Self> {
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: an anonymous mapping at an address of the system's choice replaces no memory of ours (mmap(2)).
        let start = unsafe { libc::mmap(null_mut(), bytes, prot, flags, -1, 0) };
        if start != libc::MAP_FAILED {
            return Some(Self { start: start.cast(), bytes, used: Cell::new(0) });
        }
        // Acquire: pairs with the store in `drop`: the last owner's accesses to the words happen-before ours.
        if bytes > BYTES || RESERVE.taken.swap(true, Acquire) {
            warning::of_refused_memory();
            return None;
        }
        Some(Self { start: RESERVE.words.get().cast(), bytes, used: Cell::new(0) })
    }

    /// An array of `count` elements, each of which is `fill`; `None` if the rest of the block is too small.
    #[allow(clippy::mut_from_ref)] // each call returns different bytes
    #[inline(never)]
    pub fn array<T: Copy>(&self, count: usize, fill: T) -> Option<&mut [T]> {
        const { assert!(align_of::<T>() <= align_of::<u64>()) };
        let from = self.used.get().next_multiple_of(align_of::<T>());
        let end = count.checked_mul(size_of::<T>())?.checked_add(from).filter(|end| *end <= self.bytes)?;
        self.used.set(end);
        let first: *mut T = self.start.wrapping_add(from).cast();
        for i in 0..count {
            // SAFETY: element `i` ends before `end`, which is within `bytes` by the test above; mappings and the reserve are aligned as
            // words, `from` as a `T`.
            unsafe { first.wrapping_add(i).write(fill) };
        }
        // SAFETY: `count` elements were written just now. No other array gets these bytes: `used` is past them from now on.
        Some(unsafe { std::slice::from_raw_parts_mut(first, count) })
    }
}

/// Zeroed bytes that are never freed. `None` if the system refuses.
pub fn kept(bytes: usize) -> Option<&'static mut [u8]> {
    let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: an anonymous mapping at an address of the system's choice replaces no memory of ours (mmap(2)).
    let start = unsafe { libc::mmap(null_mut(), bytes, prot, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        warning::of_refused_memory();
        return None;
    }
    // SAFETY: the mapping has `bytes` bytes, all zero (mmap(2), MAP_ANONYMOUS). No other code has it, and nothing
    // unmaps it.
    Some(unsafe { std::slice::from_raw_parts_mut(start.cast(), bytes) })
}

impl Drop for Scratch {
    // Inlined, so that the compiler sees in other crates that nothing here unwinds.
    #[inline]
    fn drop(&mut self) {
        if std::ptr::eq(self.start, RESERVE.words.get().cast()) {
            // Release: pairs with the swap in `of`; publishes this owner's accesses, which are over.
            RESERVE.taken.store(false, Release);
        } else {
            // SAFETY: `start` and `bytes` are those of the mapping that `of` made; arrays borrow `self`, so none is in use.
            unsafe { libc::munmap(self.start.cast(), self.bytes) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_apart_and_end_with_the_memory() {
        let scratch = Scratch::of(64).unwrap();
        let bytes = scratch.array(3, 7_u8).unwrap();
        let words = scratch.array(7, 9_u64).unwrap();
        words.fill(1);
        assert_eq!((&*bytes, &*words), (&[7_u8; 3][..], &[1_u64; 7][..]));
        assert!(scratch.array(1, 0_u8).is_none());
        assert!(Scratch::of(64).unwrap().array(usize::MAX, 0_u64).is_none());
    }
}
