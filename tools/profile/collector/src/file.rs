//! The profile file, mapped piece by piece, so that what is written survives every way for the process to end.
//! Unsafe: memory of the mapping.
//!
//! A piece's space is allocated on the disk before it is mapped. No descriptor stays open, since programs close
//! descriptors that they did not open. A writer reserves its place by an addition, fills it, and stores the record's
//! first word last. The next piece is prepared when a quarter of the current one is full. A piece is unmapped when its
//! slot is needed and isn't being written. The end of the first piece is reserved for records that must be written even when
//! the disk is full.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64};

use profile_format::{Record, Writable};

use crate::system::{self, Descriptor};

/// Length of a piece, in words: 1 MiB.
const PIECE: u64 = 1 << 17;
/// Words of the first piece that are reserved for [`File::write_surely`].
const KEPT: u64 = 1 << 10;
const QUARTER: u64 = PIECE / 4;
const PIECE_BYTES: usize = 1 << 20;
const SLOTS: usize = 4;

/// The file of this process.
pub(crate) static FILE: File = File::new();

#[derive(Debug)]
pub(crate) struct File {
    path: AtomicPtr<u8>,
    slots: [Slot; SLOTS],
    /// The piece that is written to.
    current: AtomicU64,
    /// The first piece, which stays mapped.
    first: AtomicPtr<AtomicU64>,
    kept: AtomicU64,
    /// True while a thread prepares a piece, or once the file is closed.
    preparing: AtomicBool,
    open: AtomicBool,
    /// Error number of the failed preparation of a piece.
    error: AtomicU64,
}

#[derive(Debug)]
struct Slot {
    /// Number of the piece in this slot, plus 1; 0 if there is none.
    piece: AtomicU64,
    base: AtomicPtr<AtomicU64>,
    used: AtomicU64,
    writers: AtomicU64,
}

impl Slot {
    const fn new() -> Self {
        let base = AtomicPtr::new(std::ptr::null_mut());
        Self { piece: AtomicU64::new(0), base, used: AtomicU64::new(0), writers: AtomicU64::new(0) }
    }
}

/// Words that are reserved for the caller.
struct Place<'a> {
    words: &'static [AtomicU64],
    slot: Option<&'a Slot>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            // SeqCst: pairs with the load of `writers` in `map`: what was written to the piece happens-before it is unmapped.
            slot.writers.fetch_sub(1, SeqCst);
        }
    }
}

impl File {
    const fn new() -> Self {
        Self {
            path: AtomicPtr::new(std::ptr::null_mut()),
            slots: [const { Slot::new() }; SLOTS],
            current: AtomicU64::new(0),
            first: AtomicPtr::new(std::ptr::null_mut()),
            kept: AtomicU64::new(0),
            preparing: AtomicBool::new(false),
            open: AtomicBool::new(false),
            error: AtomicU64::new(0),
        }
    }

    /// Creates the file. Called by one thread at a time.
    pub(crate) fn begin(&self, path: &'static CStr) -> Result<(), i32> {
        drop(Descriptor::new_file(path).ok_or_else(system::errno)?);
        self.path.store(path.as_ptr().cast_mut().cast(), Relaxed);
        // Release: pairs with the swap in `prepare`.
        self.preparing.store(false, Release);
        if !self.prepare(0) {
            return Err(i32::try_from(self.error.load(Relaxed)).unwrap_or(0));
        }
        self.current.store(0, Relaxed);
        // Release: pairs with the load in `is_open`; publishes the path and the first piece.
        self.open.store(true, Release);
        Ok(())
    }

    /// True if records are written.
    pub(crate) fn is_open(&self) -> bool {
        // Acquire: pairs with the store in `begin`; publishes the path and the first piece.
        self.open.load(Acquire)
    }

    /// Error number of the first piece that could not be mapped; 0 if there was none.
    pub(crate) fn error(&self) -> u64 {
        self.error.load(Relaxed)
    }

    /// Writes a record; returns `false` if it doesn't fit.
    pub(crate) fn write(&self, record: Record) -> bool {
        self.put(record, false)
    }

    /// Writes a record that must not be lost; the reserve can hold a few of them.
    pub(crate) fn write_surely(&self, record: Record) -> bool {
        self.put(record, true)
    }

    fn put(&self, record: Record, surely: bool) -> bool {
        if !self.is_open() {
            return false;
        }
        let Some(record) = Writable::new(record) else { return false };
        let words = record.words() as u64;
        let place = self.place(words).or_else(|| if surely { self.kept_place(words) } else { None });
        let Some(place) = place else { return false };
        let Some((head, body)) = place.words.split_first() else { return false };
        let mut body = body.iter();
        record.body(&mut |word| {
            if let Some(place) = body.next() {
                place.store(word, Relaxed);
            }
        });
        // Release: publishes the body to a reader of the file, another process; no load of this one pairs with it.
        head.store(record.head(), Release);
        true
    }

    fn slot(&self, piece: u64) -> Option<&Slot> {
        self.slots.get(usize::try_from(piece).ok()? % SLOTS)
    }

    fn place(&self, words: u64) -> Option<Place<'_>> {
        for _ in 0..SLOTS {
            // Acquire: pairs with the compare-exchange in `advance`; publishes the piece that was prepared.
            let piece = self.current.load(Acquire);
            let slot = self.slot(piece)?;
            // SeqCst: with the load of `piece` below, against the store of 0 and the load of `writers` in `map` (store
            // buffering): this thread sees that the piece goes, or `map` sees the writer.
            slot.writers.fetch_add(1, SeqCst);
            // From here on the slot keeps its piece, if it still has it.
            let mut place = Place { words: &[], slot: Some(slot) };
            if slot.piece.load(SeqCst) == piece + 1 {
                let at = slot.used.fetch_add(words, Relaxed);
                if at + words <= limit(piece) {
                    // Repeated if that failed: a writer to the oldest piece may have been interrupted.
                    if at / QUARTER != (at + words) / QUARTER {
                        self.prepare(piece + 1);
                    }
                    // Not a second place by `..place`, which would count as a second writer when it is dropped.
                    // Acquire: pairs with the store of `base` in `map`; publishes the mapping.
                    place.words = row(slot.base.load(Acquire), at, words)?;
                    return Some(place);
                }
            }
            drop(place);
            if !self.advance(piece) {
                return None;
            }
        }
        None
    }

    fn kept_place(&self, words: u64) -> Option<Place<'_>> {
        let at = self.kept.fetch_add(words, Relaxed);
        // Acquire: pairs with the store of `first` in `map`; publishes the mapping.
        let words = (at + words <= KEPT).then(|| row(self.first.load(Acquire), limit(0) + at, words))?;
        Some(Place { words: words?, slot: None })
    }

    /// Moves on to the next piece. Returns `false` if there is none.
    fn advance(&self, from: u64) -> bool {
        // Acquire: pairs with the compare-exchange below; publishes the piece that was prepared.
        if self.current.load(Acquire) != from {
            return true;
        }
        // SeqCst: pairs with the last store in `map`; publishes the slot's contents.
        let there = self.slot(from + 1).is_some_and(|slot| slot.piece.load(SeqCst) == from + 2);
        if !there && !self.prepare(from + 1) {
            return false;
        }
        // Release: pairs with the loads of `current`; publishes the piece that was prepared.
        let _ = self.current.compare_exchange(from, from + 1, AcqRel, Acquire);
        true
    }

    /// Maps a piece. Returns `false` if that fails, or another thread is doing it.
    fn prepare(&self, piece: u64) -> bool {
        // Acquire: pairs with the stores of false below and in `begin`; publishes the slots' contents.
        if self.preparing.swap(true, Acquire) {
            return false;
        }
        let done = match self.map(piece) {
            Ok(()) => true,
            Err(error) => {
                self.error.store(error, Relaxed);
                false
            }
        };
        // Release: pairs with the swaps above and in `close`; publishes the slots' contents.
        self.preparing.store(false, Release);
        done
    }

    fn map(&self, piece: u64) -> Result<(), u64> {
        let Some(slot) = self.slot(piece) else { return Err(0) };
        // SeqCst: pairs with the last store below, of an earlier call.
        if slot.piece.load(SeqCst) == piece + 1 {
            return Ok(());
        }
        // SeqCst: with the load of `writers`, against `place` (store buffering): a writer is seen here, or it sees no piece.
        slot.piece.store(0, SeqCst);
        if slot.writers.load(SeqCst) != 0 {
            return Err(u64::from(libc::EBUSY.unsigned_abs()));
        }
        // Acquire: pairs with the store of `base` below, of an earlier call; publishes the mapping.
        let old = slot.base.swap(std::ptr::null_mut(), AcqRel);
        if !old.is_null() && old != self.first.load(Relaxed) {
            // SAFETY: the slot isn't being written, and later writers find no piece in it.
            unsafe { system::unmap(old.cast(), PIECE_BYTES) };
        }
        let fresh = self.fresh(piece * PIECE_BYTES as u64).map_err(|error| u64::from(error.unsigned_abs()))?;
        if piece == 0 {
            // Release: pairs with the load in `kept_place`; publishes the mapping.
            self.first.store(fresh, Release);
        }
        // Release: pairs with the load of `base` in `place`; publishes the mapping.
        slot.base.store(fresh, Release);
        slot.used.store(0, Relaxed);
        // SeqCst: pairs with the loads of `piece` in `place` and `advance`; publishes `base` and `used`.
        slot.piece.store(piece + 1, SeqCst);
        Ok(())
    }

    fn fresh(&self, offset: u64) -> Result<*mut AtomicU64, i32> {
        let path = self.path().ok_or(libc::ENOENT)?;
        let file = Descriptor::read_write(path).ok_or_else(system::errno)?;
        file.take_room(offset, PIECE_BYTES as u64)?;
        // Mappings begin at pages, so words are aligned.
        #[allow(clippy::cast_ptr_alignment)]
        file.map_shared(offset, PIECE_BYTES).map(<*mut u8>::cast).ok_or_else(system::errno)
    }

    /// Path of the file.
    pub(crate) fn path(&self) -> Option<&'static CStr> {
        let path = self.path.load(Relaxed);
        // SAFETY: `begin` stored the address of a C string that is never freed.
        (!path.is_null()).then(|| unsafe { CStr::from_ptr(path.cast()) })
    }

    /// Truncates the file after its last record and closes it; nothing is written from here on.
    pub(crate) fn close(&self) {
        // Acquire: pairs with the store in `begin`. Release: pairs with the load in `is_open`.
        if !self.open.swap(false, AcqRel) {
            return;
        }
        for _ in 0..1000 {
            // Stays set: no thread moves on to another piece. Acquire: pairs with the stores of false in `prepare`;
            // publishes the slots' contents.
            if !self.preparing.swap(true, Acquire) {
                break;
            }
            std::thread::yield_now();
        }
        // Acquire: pairs with the compare-exchange in `advance`; publishes the piece that was prepared.
        let piece = self.current.load(Acquire);
        let Some((slot, path)) = self.slot(piece).zip(self.path()) else { return };
        // A writer has a place below this; a later one gets none. The modification order of `used` decides; its other changes
        // are Relaxed, so AcqRel pairs with none of them.
        let used = slot.used.swap(1 << 40, AcqRel).min(limit(piece));
        let words = if piece == 0 && self.kept.load(Relaxed) > 0 { PIECE } else { piece * PIECE + used };
        system::cut_file(path, words * 8);
    }

    /// Drops the file in a forked child: it belongs to the parent.
    pub(crate) fn forget(&self) {
        self.open.store(false, Relaxed);
        let first = self.first.swap(std::ptr::null_mut(), Relaxed);
        for slot in &self.slots {
            slot.piece.store(0, Relaxed);
            slot.writers.store(0, Relaxed);
            let base = slot.base.swap(std::ptr::null_mut(), Relaxed);
            if !base.is_null() && base != first {
                // SAFETY: this thread is the child's only one, and it isn't writing: handlers run on it only between
                // writes.
                unsafe { system::unmap(base.cast(), PIECE_BYTES) };
            }
        }
        if !first.is_null() {
            // SAFETY: this thread is the child's only one, and it is not writing: handlers run on it only between
            // writes.
            unsafe { system::unmap(first.cast(), PIECE_BYTES) };
        }
        self.kept.store(0, Relaxed);
        self.current.store(0, Relaxed);
        self.error.store(0, Relaxed);
        self.preparing.store(false, Relaxed);
    }
}

fn limit(piece: u64) -> u64 {
    if piece == 0 { PIECE - KEPT } else { PIECE }
}

/// Words of a piece, from `at` on. `at` and `words` were checked against its length.
fn row(base: *mut AtomicU64, at: u64, words: u64) -> Option<&'static [AtomicU64]> {
    let (at, words) = (usize::try_from(at).ok()?, usize::try_from(words).ok()?);
    if base.is_null() {
        return None;
    }
    // SAFETY: a piece begins at `base`, and callers have checked that the row ends within it.
    let begin = unsafe { base.add(at) };
    // SAFETY: the row lies in the piece, as callers have checked; it stays mapped while the slot has a writer, the first one
    // forever.
    Some(unsafe { std::slice::from_raw_parts(begin, words) })
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use profile_format::{Cut, Frames, Reader};

    use super::*;

    #[test]
    fn more_records_than_there_is_room_for_at_once_are_all_there() {
        static LARGE: File = File::new();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records");
        let name: &'static CStr = Box::leak(CString::new(path.to_str().unwrap()).unwrap().into_boxed_c_str());
        LARGE.begin(name).unwrap();
        assert!(LARGE.write(Record::Begin { version: profile_format::VERSION }));
        let frames = [7; 1000];
        let pieces = SLOTS * 3;
        for id in 0..u32::try_from(pieces * 131).unwrap() {
            assert!(LARGE.write(Record::Stack { id, cut: Cut::Whole, frames: Frames::Words(&frames) }), "{id}");
        }
        LARGE.close();
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.len() > pieces * PIECE_BYTES);
        let mut reader = Reader::new(&bytes).unwrap();
        assert_eq!(reader.by_ref().filter(|record| matches!(record, Record::Stack { .. })).count(), pieces * 131);
        assert_eq!(reader.damaged(), 0);
    }
}
