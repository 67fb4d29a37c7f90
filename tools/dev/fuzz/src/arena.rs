//! Memory for arrays: a mapping between guard pages, and one for entries of two gigabytes.
#![allow(unsafe_code)] // maps memory, and reads and writes it through pointers

use std::ptr::{self, null_mut};

/// Fill byte around an array; unlikely in arrays.
const FILL: u8 = 0xa5;
/// Number of bytes around an array that are checked.
const AROUND: usize = 64;
const PAGE: usize = 4096;
/// Bytes between the two guard pages.
const SIZE: usize = 4 * PAGE;
/// Bytes for the longest entry and the entry after it.
const LONG: usize = (1 << 31) + 16 * PAGE;

/// Memory between two guard pages, and a long mapping.
#[derive(Debug)]
pub struct Arena {
    low: usize,
    long: usize,
}

/// Position of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The last byte is the last one before a guard page.
    AtTheEnd,
    /// The first byte is the first one after a guard page.
    AtTheStart,
    /// Near the end, this many bytes (1 to 3) beyond a multiple of 4.
    Beside(usize),
}

fn map(length: usize, protection: i32) -> usize {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address that the kernel chooses.
    let start = unsafe { libc::mmap(null_mut(), length, protection, flags, -1, 0) };
    assert!(start != libc::MAP_FAILED, "no memory for arrays");
    start.addr()
}

impl Default for Arena {
    fn default() -> Self {
        let start = map(SIZE + 2 * PAGE, libc::PROT_NONE);
        let low = start + PAGE;
        // SAFETY: pages in the middle of the mapping just created.
        let done = unsafe { libc::mprotect(low as *mut _, SIZE, libc::PROT_READ | libc::PROT_WRITE) };
        assert!(done == 0, "no memory for arrays");
        // SAFETY: the pages that have just become writable.
        unsafe { ptr::write_bytes(low as *mut u8, FILL, SIZE) };
        Self { low, long: map(LONG, libc::PROT_READ | libc::PROT_WRITE) }
    }
}

impl Arena {
    /// Length of the longest array that fits between the guard pages.
    pub const LONGEST: usize = SIZE - 2 * AROUND;

    /// Copies an array to a position, fills the bytes around it, and returns its address.
    ///
    /// # Panics
    /// If it is too long.
    pub fn put(&self, array: &[u8], place: Place) -> usize {
        assert!(array.len() <= Self::LONGEST);
        let high = self.low + SIZE;
        let at = match place {
            Place::AtTheEnd => high - array.len(),
            Place::AtTheStart => self.low,
            Place::Beside(beyond) => ((high - array.len()) & !3) - 4 + beyond,
        };
        let (from, to) = (self.low.max(at - AROUND.min(at - self.low)), high.min(at + array.len() + AROUND));
        // SAFETY: within the writable pages.
        unsafe { ptr::write_bytes(from as *mut u8, FILL, to - from) };
        // SAFETY: within the writable pages; the array is elsewhere.
        unsafe { ptr::copy_nonoverlapping(array.as_ptr(), at as *mut u8, array.len()) };
        at
    }

    /// Current bytes of the array; true if a byte around it was written.
    ///
    /// # Panics
    /// If `at` and `length` are not those of the last array.
    pub fn get(&self, at: usize, length: usize) -> (&[u8], bool) {
        let (from, to) = (self.low.max(at - AROUND.min(at - self.low)), (self.low + SIZE).min(at + length + AROUND));
        // SAFETY: within the writable pages, and no thread writes to them meanwhile.
        let all = unsafe { std::slice::from_raw_parts(from as *const u8, to - from) };
        let (before, rest) = all.split_at(at - from);
        let (array, after) = rest.split_at(length);
        (array, before.iter().chain(after).any(|byte| *byte != FILL))
    }

    /// Copies the pieces of a long array, and returns its address.
    ///
    /// # Panics
    /// If a piece extends past the longest entry and the entry after it.
    pub fn put_long(&self, pieces: &[(usize, Vec<u8>)]) -> usize {
        for (start, bytes) in pieces {
            assert!(start + bytes.len() <= LONG);
            // SAFETY: within the long mapping; the piece is elsewhere.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), (self.long + start) as *mut u8, bytes.len()) };
        }
        self.long
    }

    /// Current bytes of those pieces. Their pages are freed, since pieces may be anywhere and would add up to gigabytes.
    ///
    /// # Panics
    /// If a piece extends past the longest entry and the entry after it.
    pub fn get_long(&self, pieces: &[(usize, Vec<u8>)]) -> Vec<(usize, Vec<u8>)> {
        let read = |(start, bytes): &(usize, Vec<u8>)| {
            assert!(start + bytes.len() <= LONG);
            // SAFETY: within the long mapping, and no thread writes to it meanwhile.
            let now = unsafe { std::slice::from_raw_parts((self.long + start) as *const u8, bytes.len()) };
            (*start, now.to_vec())
        };
        let now = pieces.iter().map(read).collect();
        pieces.iter().for_each(|(start, bytes)| self.give_back(*start, bytes.len()));
        now
    }

    fn give_back(&self, start: usize, length: usize) {
        let from = (self.long + start) & !(PAGE - 1);
        let length = (self.long + start + length) - from;
        // SAFETY: pages of the long mapping, whose bytes are no longer used.
        unsafe { libc::madvise(from as *mut _, length, libc::MADV_DONTNEED) };
    }

    /// Inaccessible address, this many bytes (1 to 3) past a multiple of 4.
    pub fn untouchable(&self, beyond: usize) -> usize {
        self.low + SIZE + 64 + beyond
    }
}
