//! Allocator with a reserve for the case that the system refuses memory, used by the validator's library and by the command `ora`. Unsafe:
//! an allocator.
//!
//! A request that the system refuses is served from the reserve, which lets the user finish the current operation and then check
//! [`WithReserve::is_used`]. A request that doesn't fit is refused.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

const BYTES: usize = 4 << 20;

/// The system's allocator, followed by the reserve.
#[derive(Debug)]
pub struct WithReserve {
    room: Room,
    used: AtomicUsize,
    /// True if the system has refused memory, for a small request or a large one.
    is_refused: AtomicBool,
}

#[derive(Debug)]
#[repr(align(4096))]
struct Room(UnsafeCell<[u8; BYTES]>);

// SAFETY: only the owner of a part of the room accesses it, and no two owners get the same part.
unsafe impl Sync for Room {}

impl Default for WithReserve {
    fn default() -> Self {
        Self::new()
    }
}

impl WithReserve {
    /// Creates an allocator with an untouched reserve. It is meant for a static item, because the reserve is part of the value.
    pub const fn new() -> Self {
        Self { room: Room(UnsafeCell::new([0; BYTES])), used: AtomicUsize::new(0), is_refused: AtomicBool::new(false) }
    }

    /// True if memory of the reserve is in use.
    pub fn is_used(&self) -> bool {
        self.used.load(Relaxed) > 0
    }

    /// True if the system has ever refused memory, even of a size that the reserve can't replace. Async-signal-safe.
    pub fn was_refused(&self) -> bool {
        self.is_refused.load(Relaxed)
    }

    #[cold]
    fn take(&self, layout: Layout) -> *mut u8 {
        self.is_refused.store(true, Relaxed);
        // Space for any position within the alignment.
        let Some(bytes) = layout.size().checked_add(layout.align()) else { return ptr::null_mut() };
        let more = |used: usize| used.checked_add(bytes).filter(|used| *used <= BYTES);
        let Ok(at) = self.used.fetch_update(Relaxed, Relaxed, more) else { return ptr::null_mut() };
        let part = self.room.0.get().cast::<u8>().wrapping_add(at);
        part.wrapping_add(part.align_offset(layout.align()))
    }

    fn is_of_reserve(&self, place: *mut u8) -> bool {
        place.addr().wrapping_sub(self.room.0.get().addr()) < BYTES
    }
}

// SAFETY: the system's allocator keeps the contract for its own memory. Parts of the reserve have the requested size and alignment, belong
// to one owner, and are never reused.
unsafe impl GlobalAlloc for WithReserve {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: `layout` has a size above zero, by the `# Safety` of `GlobalAlloc::alloc`.
        let place = unsafe { System.alloc(layout) };
        if place.is_null() { self.take(layout) } else { place }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: `layout` has a size above zero, by the `# Safety` of `GlobalAlloc::alloc_zeroed`.
        let place = unsafe { System.alloc_zeroed(layout) };
        // The reserve is zero-initialised, and no part is returned twice.
        if place.is_null() { self.take(layout) } else { place }
    }

    #[inline]
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        if !self.is_of_reserve(place) {
            // SAFETY: `alloc` or `realloc` returned `place` for `layout`, by the `# Safety` of `GlobalAlloc::dealloc`, and not from the
            // reserve, so it belongs to the system.
            unsafe { System.dealloc(place, layout) };
        }
    }

    #[inline]
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !self.is_of_reserve(place) {
            // SAFETY: `place` was returned for `layout`, by the `# Safety` of `GlobalAlloc::realloc`, and not from the reserve, so it
            // belongs to the system.
            let moved = unsafe { System.realloc(place, layout, size) };
            if !moved.is_null() {
                return moved;
            }
        }
        // SAFETY: `size`, rounded up to the alignment, fits in an `isize`, by the `# Safety` of `GlobalAlloc::realloc`.
        let moved = self.take(unsafe { Layout::from_size_align_unchecked(size, layout.align()) });
        if !moved.is_null() {
            // SAFETY: two distinct parts, both at least as long as the smaller size.
            unsafe { ptr::copy_nonoverlapping(place, moved, layout.size().min(size)) };
            // SAFETY: `place` was returned for `layout` and is not used after `realloc`, by the `# Safety` of `GlobalAlloc::realloc`.
            unsafe { self.dealloc(place, layout) };
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_reserve_are_aligned_apart_and_keep_what_is_in_them() {
        static RESERVE: WithReserve = WithReserve::new();
        let reserve = &RESERVE;
        let layout = |bytes, align| Layout::from_size_align(bytes, align).unwrap();
        let (one, other) = (reserve.take(layout(3, 1)), reserve.take(layout(64, 64)));
        assert!(one.addr() + 3 <= other.addr() && other.addr().is_multiple_of(64) && reserve.is_of_reserve(other));
        // SAFETY: 64 bytes that are ours.
        unsafe { other.write_bytes(7, 64) };
        // SAFETY: it was taken with this layout.
        let larger = unsafe { reserve.realloc(other, layout(64, 64), 100) };
        // SAFETY: 100 bytes that are ours.
        let bytes = unsafe { std::slice::from_raw_parts(larger, 100) };
        assert!(larger != other && bytes[..64] == [7; 64] && bytes[64..] == [0; 36]);
        assert!(reserve.take(layout(BYTES, 1)).is_null());
    }
}
