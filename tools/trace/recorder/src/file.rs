//! The process's file: its start and end, and space for chunks.
//!
//! No descriptor stays open, since programs close descriptors that they did not open.
#![allow(unsafe_code)] // memory of the mapping

use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::*};

use system::errno::Errno;
use trace_format::{FILE, VERSION, place};

use crate::settings::settings;
use crate::{clock, definitions, file_header, load, samples, system_call};
use system_call::Descriptor;

/// State of the recording.
static STATE: AtomicU32 = AtomicU32::new(state::NONE);
/// Path of the events; a leaked C string, or null.
static PATH: AtomicPtr<libc::c_char> = AtomicPtr::new(ptr::null_mut());
/// The process whose file it is.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// Length of the file so far.
static LENGTH: AtomicU64 = AtomicU64::new(0);

mod state {
    /// No file yet: the next event starts one.
    pub(super) const NONE: u32 = 0;
    /// A thread is creating the file.
    pub(super) const BEGINNING: u32 = 1;
    pub(super) const OPEN: u32 = 2;
    /// Nothing is recorded any more.
    pub(super) const ENDED: u32 = 3;
}

/// Maximum number of folders that are tried: for images of one process, and processes of other machines that have the
/// same number.
const SAME_NAME: u32 = 10_000;

/// True if events are recorded. The first call in a process creates its file; other threads wait for that.
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
            // Some milliseconds later: if the process is killed early, this gives the clock's pace.
            let second = clock::pair();
            file_header::set(place::SECOND[0], second.tick);
            file_header::set(place::SECOND[1], second.ns);
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
    let path = CString::new([&folder, &b"/"[..], FILE.as_bytes()].concat()).map_err(|_| libc::EINVAL)?;
    let file = Descriptor::open(&path, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL)?;
    let bytes = file_header::bytes() as u64;
    file.take_room(0, bytes)?;
    file_header::map(&file)?;
    LENGTH.store(bytes, Relaxed);
    PATH.store(path.into_raw(), Relaxed);
    OWNER.store(system_call::process(), Relaxed);
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
        (place::LOADED, load::here().filter(|_| !settings().is_attached).map_or(0, |loaded| loaded.at_ns)),
    ];
    for (at, word) in words {
        file_header::set(at, word);
    }
    file_header::publish();
    Ok(())
}

/// Creates the process's folder, and returns its path, which may contain any bytes.
fn make_folder(folder: &CStr) -> Result<Vec<u8>, i32> {
    // The command has created it, but perhaps on another machine.
    let _ = system_call::make_folder(folder);
    let rank = definitions::rank().map_or_else(String::new, |rank| format!("rank-{rank}."));
    let process = format!("/{rank}pid-{}", system_call::process());
    for time in 1..SAME_NAME {
        let number = if time == 1 { String::new() } else { format!(".{time}") };
        let path = [folder.to_bytes(), process.as_bytes(), number.as_bytes()].concat();
        let name = CString::new(path.as_slice()).map_err(|_| libc::EINVAL)?;
        match system_call::make_folder(&name) {
            Ok(()) => return Ok(path),
            Err(libc::EEXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Err(libc::EEXIST)
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

/// Performs an operation on the file's next `bytes` bytes; otherwise returns an error number.
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

/// Ends the recording because the space is exhausted. What was recorded is kept.
fn fail(error: i32) {
    file_header::note_error(error);
    // Relaxed: a thread that sees it late requests space once more.
    let _ = STATE.compare_exchange(state::OPEN, state::ENDED, Relaxed, Relaxed);
}

/// The process, which has these threads, ends.
pub(crate) fn end(threads: &[u32]) {
    let before = STATE.swap(state::ENDED, Relaxed);
    if before == state::OPEN || before == state::ENDED {
        let end = clock::pair();
        file_header::set(place::END[0], end.tick);
        file_header::set(place::END[1], end.ns);
        definitions::end(end.ns, threads);
    }
}

/// The process ends without exit handlers: only the header says so, since records need memory. Async-signal-safe.
pub(crate) fn end_quickly() {
    // A child that shares the memory of the process does not end it.
    if OWNER.load(Relaxed) == system_call::process()
        && STATE.compare_exchange(state::OPEN, state::ENDED, Relaxed, Relaxed).is_ok()
    {
        let end = clock::pair();
        file_header::set(place::END[0], end.tick);
        file_header::set(place::END[1], end.ns);
    }
}

/// Lets the next event, or call of [`is_open`], start a file. Must be called while nothing is recorded.
pub(crate) fn begin_anew() {
    // Release: pairs with the exchange in `begin`.
    STATE.store(state::NONE, Release);
}

/// Drops the file, while no other thread uses it: at the end of a session of a process that continues, and in a forked child, since it
/// belongs to the parent.
pub(crate) fn forget() {
    // SAFETY: no thread uses the header: callers have waited for that, or this thread is the child's only one.
    unsafe { file_header::unmap() };
    PATH.store(ptr::null_mut(), Relaxed);
    definitions::forget();
    samples::forget();
    // Release: pairs with the exchange in `begin`.
    let begins = settings().folder.is_some() && !settings().is_attached;
    STATE.store(if begins { state::NONE } else { state::ENDED }, Release);
}
