//! Temporary memory for a snapshot of the loaded objects. A static reserve serves where the system refuses memory: without the
//! snapshot a call would go to another libgomp than its own.
#![allow(unsafe_code)] // memory comes from mmap: nothing is allocated on a program's thread

use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::*};
use system::warning;

/// Size of the reserve: enough for a thousand objects. It takes physical memory only once it is written to.
const BYTES: usize = 1 << 17;

struct Reserve {
    taken: AtomicBool,
    words: UnsafeCell<[u64; BYTES / 8]>,
}

// SAFETY: only the thread that has set `taken` in `Scratch::of` accesses `words`, until it drops that `Scratch`.
unsafe impl Sync for Reserve {}

static RESERVE: Reserve = Reserve { taken: AtomicBool::new(false), words: UnsafeCell::new([0; BYTES / 8]) };

/// Zeroed bytes, aligned as words, freed on drop.
pub(super) struct Scratch {
    start: *mut u8,
    bytes: usize,
}

impl Scratch {
    /// `None` when the system refuses, and the reserve is too small or in use.
    pub(super) fn of(bytes: usize) -> Option<Self> {
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: an anonymous mapping at an address of the system's choice replaces no memory of ours (mmap(2)).
        let start = unsafe { libc::mmap(null_mut(), bytes, prot, flags, -1, 0) };
        if start != libc::MAP_FAILED {
            return Some(Self { start: start.cast(), bytes });
        }
        // Acquire: pairs with the store in `drop`: the last owner's accesses to the words happen-before ours.
        if bytes > BYTES || RESERVE.taken.swap(true, Acquire) {
            warning::of_refused_memory();
            return None;
        }
        let start: *mut u8 = RESERVE.words.get().cast();
        // SAFETY: `bytes` is at most `BYTES`, the size of `words`, and this thread has set `taken` just now.
        unsafe { start.write_bytes(0, bytes) };
        Some(Self { start, bytes })
    }

    /// Address of the first byte.
    pub(super) fn start(&self) -> *mut u8 {
        self.start
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::ptr::eq(self.start, RESERVE.words.get().cast()) {
            // Release: pairs with the swap in `of`; publishes that this owner's accesses are over.
            RESERVE.taken.store(false, Release);
        } else {
            // SAFETY: `start` and `bytes` are those of the mapping that `of` made; `lookup_scope::look`, the only user, ends
            // its borrows before it drops this.
            unsafe { libc::munmap(self.start.cast(), self.bytes) };
        }
    }
}
