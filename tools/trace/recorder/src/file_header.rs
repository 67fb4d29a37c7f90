//! Header of the process's file, which stays mapped.
#![allow(unsafe_code)] // memory of the mapping

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::*};

use system::memory::page_size;
use trace_format::{GRAIN, MAGIC, WINDOWS, place};

use crate::system_call::{self, Descriptor};

/// The header's words; null before the first start.
static HEADER: AtomicPtr<AtomicU64> = AtomicPtr::new(ptr::null_mut());

/// Length of the header, in bytes: whole pages.
pub(crate) fn bytes() -> usize {
    GRAIN.max(page_size())
}

/// Maps the header of a file, which has space for it and only zeros there.
pub(crate) fn map(file: &Descriptor) -> Result<(), i32> {
    let header = file.map(0, bytes())?;
    #[allow(clippy::cast_ptr_alignment)] // mappings start at page boundaries
    HEADER.store(header.cast(), Relaxed);
    Ok(())
}

/// Marks the header as complete.
pub(crate) fn publish() {
    if let Some(first) = word(place::MAGIC) {
        // Release: publishes the header to a reader of the file, another process; no load of this one pairs with it.
        first.store(MAGIC, Release);
    }
}

/// Drops the header, if there is one.
///
/// # Safety
/// No thread is in another function of this module.
pub(crate) unsafe fn unmap() {
    let header = HEADER.swap(ptr::null_mut(), Relaxed);
    if !header.is_null() {
        // SAFETY: the whole mapping that `map` created, which is not in use, by this function's `# Safety`.
        unsafe { system_call::unmap(header.cast(), bytes()) };
    }
}

/// A word of the header.
fn word(at: usize) -> Option<&'static AtomicU64> {
    let header = HEADER.load(Relaxed);
    if header.is_null() || at >= trace_format::HEADER_WORDS {
        return None;
    }
    // SAFETY: `map` mapped at least `HEADER_WORDS` words, which stay mapped in this process.
    unsafe { header.wrapping_add(at).as_ref() }
}

/// Sets a word of the header.
pub(crate) fn set(at: usize, value: u64) {
    if let Some(word) = word(at) {
        word.store(value, Relaxed);
    }
}

/// Counts events that could not be stored.
pub(crate) fn count_lost(events: u64) {
    if let Some(lost) = word(place::LOST) {
        lost.fetch_add(events, Relaxed);
    }
}

/// Counts events that a ring overwrites.
pub(crate) fn count_overwritten(events: u64) {
    if let Some(overwritten) = word(place::OVERWRITTEN) {
        overwritten.fetch_add(events, Relaxed);
    }
}

/// Keeps a window of time, by CLOCK_MONOTONIC in nanoseconds: rings do not overwrite its events.
pub(crate) fn keep_window(begin_ns: u64, end_ns: u64) {
    let number = word(place::WINDOW_COUNT).map_or(WINDOWS as u64, |count| count.fetch_add(1, Relaxed));
    let number = usize::try_from(number).unwrap_or(WINDOWS);
    if number < WINDOWS {
        set(place::WINDOWS + 2 * number, begin_ns);
        set(place::WINDOWS + 2 * number + 1, end_ns);
    }
}

/// True if a time overlaps a window that is kept.
pub(crate) fn is_kept(begin_ns: u64, end_ns: u64) -> bool {
    let read = |at| word(at).map_or(0, |word| word.load(Relaxed));
    let count = usize::try_from(read(place::WINDOW_COUNT)).unwrap_or(WINDOWS).min(WINDOWS);
    (0..count).map(|number| place::WINDOWS + 2 * number).any(|at| read(at) <= end_ns && begin_ns <= read(at + 1))
}

/// Keeps the first error.
pub(crate) fn note_error(error: i32) {
    if let Some(word) = word(place::ERROR) {
        let _ = word.compare_exchange(0, u64::from(error.unsigned_abs()), Relaxed, Relaxed);
    }
}
