//! The process's file: its header, which stays mapped, and room for chunks.
//!
//! No descriptor stays open, since programs close descriptors that they don't know.
#![allow(unsafe_code)] // memory of the mapping

use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::*};

use system::errno::Errno;
use system::memory::page_size;
use trace_format::{FILE, GRAIN, MAGIC, VERSION, WINDOWS, place};

use crate::definitions;
use crate::settings::settings;
use crate::{clock, samples, system_call};
use system_call::Descriptor;

/// State of the recording.
static STATE: AtomicU32 = AtomicU32::new(state::NONE);
/// Path of the events; a leaked C string, or null.
static PATH: AtomicPtr<libc::c_char> = AtomicPtr::new(ptr::null_mut());
/// The header's words; null before the first begin.
static HEADER: AtomicPtr<AtomicU64> = AtomicPtr::new(ptr::null_mut());
/// Length of the file so far.
static LENGTH: AtomicU64 = AtomicU64::new(0);

mod state {
    /// No file yet: the next event begins one.
    pub(super) const NONE: u32 = 0;
    /// A thread makes the file.
    pub(super) const BEGINNING: u32 = 1;
    pub(super) const OPEN: u32 = 2;
    /// Nothing is recorded any more.
    pub(super) const ENDED: u32 = 3;
}

/// Most folders that are tried: for images of one process, and processes of other machines that have the same number.
const SAME_NAME: u32 = 10_000;

/// True if events are recorded. The first call in a process makes its file; other threads wait for that.
pub(crate) fn is_open() -> bool {
    // Acquire: pairs with the store below; publishes path and header.
    match STATE.load(Acquire) {
        state::OPEN => true,
        state::ENDED => false,
        _ => begin(),
    }
}

#[cold]
fn begin() -> bool {
    let errno = Errno::save();
    // Acquire: pairs with the store of `NONE` in `forget`.
    if STATE.compare_exchange(state::NONE, state::BEGINNING, Acquire, Relaxed).is_ok() {
        let next = if make().is_ok() { state::OPEN } else { state::ENDED };
        // Release: pairs with the loads in `is_open` and below; publishes path and header.
        STATE.store(next, Release);
        if next == state::OPEN {
            definitions::begin();
            // Some milliseconds later: where the process is killed early, this says how fast the clock is.
            let second = clock::pair();
            set(place::SECOND[0], second.tick);
            set(place::SECOND[1], second.ns);
        }
    }
    // Acquire: pairs with the store above.
    while STATE.load(Acquire) == state::BEGINNING {
        std::thread::yield_now();
    }
    errno.restore();
    // Acquire: pairs with the store above.
    STATE.load(Acquire) == state::OPEN
}

fn make() -> Result<(), i32> {
    let folder = settings().folder.ok_or(libc::ENOENT)?;
    let folder = samples::process_folder(folder).map_or_else(|| make_folder(folder), Ok)?;
    let path = CString::new(format!("{folder}/{FILE}")).map_err(|_| libc::EINVAL)?;
    let file = Descriptor::open(&path, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL)?;
    let bytes = GRAIN.max(page_size());
    file.take_room(0, bytes as u64)?;
    let header = file.map(0, bytes)?;
    #[allow(clippy::cast_ptr_alignment)] // mappings begin at pages
    HEADER.store(header.cast(), Relaxed);
    LENGTH.store(bytes as u64, Relaxed);
    PATH.store(path.into_raw(), Relaxed);
    definitions::set_folder(&folder);
    let begin = clock::pair();
    let words = [
        (place::VERSION, VERSION),
        (place::CLOCK, clock::chosen() as u64),
        (place::PROCESS, system_call::process().into()),
        (place::BEGIN[0], begin.tick),
        (place::BEGIN[1], begin.ns),
        (place::BEGIN[2], clock::real_ns()),
        (place::LAST, settings().last_ns),
        (place::SLOW, settings().slow_ns),
        (place::ATTACHED, settings().is_attached.into()),
    ];
    for (at, word) in words {
        set(at, word);
    }
    if let Some(first) = word(place::MAGIC) {
        // Release: publishes the header to a reader of the file, another process; no load of this one pairs with it.
        first.store(MAGIC, Release);
    }
    Ok(())
}

/// Makes the process's folder, and returns its path.
fn make_folder(folder: &CStr) -> Result<String, i32> {
    // The command has made it, but perhaps on another machine.
    let _ = system_call::make_folder(folder);
    let folder = folder.to_str().map_err(|_| libc::EILSEQ)?;
    let rank = definitions::rank().map_or_else(String::new, |rank| format!("rank-{rank}."));
    let stem = format!("{folder}/{rank}pid-{}", system_call::process());
    for time in 1..SAME_NAME {
        let path = if time == 1 { stem.clone() } else { format!("{stem}.{time}") };
        let name = CString::new(path.as_str()).map_err(|_| libc::EINVAL)?;
        match system_call::make_folder(&name) {
            Ok(()) => return Ok(path),
            Err(libc::EEXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Err(libc::EEXIST)
}

/// A word of the header.
fn word(at: usize) -> Option<&'static AtomicU64> {
    let header = HEADER.load(Relaxed);
    if header.is_null() || at >= trace_format::HEADER_WORDS {
        return None;
    }
    // SAFETY: `make` mapped at least `HEADER_WORDS` words, which stay mapped in this process.
    unsafe { header.wrapping_add(at).as_ref() }
}

fn set(at: usize, value: u64) {
    if let Some(word) = word(at) {
        word.store(value, Relaxed);
    }
}

/// Counts events that find no room.
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

/// Keeps a window of time, by CLOCK_MONOTONIC in nanoseconds: no ring overwrites what was in it.
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

/// Memory of the file for a chunk; `None` ends the recording.
pub(crate) fn room(bytes: usize) -> Option<*mut u8> {
    let mapped = at_end(bytes, |file, offset| {
        file.take_room(offset, bytes as u64)?;
        file.map(offset, bytes)
    });
    mapped.inspect_err(|error| fail(*error)).ok()
}

/// Copies a chunk to the end of the file. False ends the recording; the chunk itself stays as it is.
pub(crate) fn append(chunk: &[u8]) -> bool {
    let written = at_end(chunk.len(), |file, offset| file.write_at(offset, chunk));
    written.inspect_err(|error| fail(*error)).is_ok()
}

/// Does something with the file's next so many bytes; an error number else.
fn at_end<T>(bytes: usize, work: impl FnOnce(&Descriptor, u64) -> Result<T, i32>) -> Result<T, i32> {
    // Relaxed: only the numbers matter.
    let offset = LENGTH.fetch_add(bytes as u64, Relaxed);
    let path = PATH.load(Relaxed);
    if path.is_null() {
        return Err(libc::ENOENT);
    }
    // SAFETY: not null, so a C string that `make` leaked.
    let path = unsafe { CStr::from_ptr(path) };
    work(&Descriptor::open(path, libc::O_RDWR)?, offset)
}

/// Keeps the first error.
pub(crate) fn note_error(error: i32) {
    if let Some(word) = word(place::ERROR) {
        let _ = word.compare_exchange(0, u64::from(error.unsigned_abs()), Relaxed, Relaxed);
    }
}

/// Ends the recording, for want of room. What was recorded stays.
fn fail(error: i32) {
    note_error(error);
    // Relaxed: a thread that sees it late asks for room once more.
    let _ = STATE.compare_exchange(state::OPEN, state::ENDED, Relaxed, Relaxed);
}

/// The process ends.
pub(crate) fn end() {
    let before = STATE.swap(state::ENDED, Relaxed);
    if before == state::OPEN || before == state::ENDED {
        let end = clock::pair();
        set(place::END[0], end.tick);
        set(place::END[1], end.ns);
        definitions::end(end.ns);
    }
}

/// Lets the next event, or call of [`is_open`], begin a file. Called while nothing is recorded.
pub(crate) fn begin_anew() {
    // Release: pairs with the exchange in `begin`.
    STATE.store(state::NONE, Release);
}

/// Drops the file, where no other thread uses it: at the end of a session of a process that goes on, and in a forked child, since it
/// is the parent's.
pub(crate) fn forget() {
    let header = HEADER.swap(ptr::null_mut(), Relaxed);
    if !header.is_null() {
        // SAFETY: no thread is in one of the functions above: callers have waited for that, or this thread is the child's only one.
        unsafe { system_call::unmap(header.cast(), GRAIN.max(page_size())) };
    }
    PATH.store(ptr::null_mut(), Relaxed);
    definitions::forget();
    samples::forget();
    // Release: pairs with the exchange in `begin`.
    let begins = settings().folder.is_some() && !settings().is_attached;
    STATE.store(if begins { state::NONE } else { state::ENDED }, Release);
}
