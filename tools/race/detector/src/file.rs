//! The process's file: lines of [`race_format`], each appended by one system call.
//!
//! The file is opened for each line: a program may close descriptors that it did not open. System calls are made
//! directly, since ThreadSanitizer intercepts the C library's functions.
#![allow(unsafe_code)] // system calls

use std::ffi::CStr;
use std::io::{Cursor, Write};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

use crate::fiber;
use crate::line::Line;
use crate::modules::Modules;
use crate::sanitizer::library;
use crate::settings::settings;

/// Facts about the process, which are in the first line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begin<'a> {
    pub(crate) runtime: &'a str,
    /// Kind of fibers.
    pub(crate) fibers: &'a str,
    /// True if ThreadSanitizer's reports don't arrive here.
    pub(crate) is_blind: bool,
    pub(crate) notes: &'a [&'a str],
}

/// Note for a forked child. Fibers count as threads for ThreadSanitizer, and it does not check children of a process
/// with several threads.
const FORKED: &str = "a process that was forked after the program had used OpenMP is not checked by ThreadSanitizer, unless it \
                      starts another program";

/// The process of the last line, and the modules that it has written.
static PROCESS: AtomicI32 = AtomicI32::new(0);
static MODULES: Modules = Modules::unwritten();
static TASKS: AtomicU64 = AtomicU64::new(0);
/// Races that were reported, sure and possible.
static SURE: AtomicU64 = AtomicU64::new(0);
static POSSIBLE: AtomicU64 = AtomicU64::new(0);

/// Counts an explicit task.
pub(crate) fn count_task() {
    TASKS.fetch_add(1, Relaxed);
}

/// Counts a race, and returns its number.
pub(crate) fn count_race(sure: bool) -> u64 {
    let count = if sure { &SURE } else { &POSSIBLE };
    count.fetch_add(1, Relaxed);
    SURE.load(Relaxed) + POSSIBLE.load(Relaxed)
}

/// True if a sure race was found.
pub(crate) fn has_sure_races() -> bool {
    SURE.load(Relaxed) > 0
}

/// Writes the lines at the start of a process's file.
pub(crate) fn begin(begin: &Begin<'_>) {
    write_first(begin);
    note_modules();
}

/// Writes the first line. Not inlined, so that its buffers are not on the stack while the modules are written.
#[inline(never)]
fn write_first(begin: &Begin<'_>) {
    let mut line = Line::new();
    let parent = process_id(libc::SYS_getppid);
    line.text("{\"type\":\"process\",\"version\":").number(race_format::VERSION.into());
    line.text(",\"pid\":").number(process_id(libc::SYS_getpid)).text(",\"parent\":").number(parent);
    line.text(",\"command\":[");
    let mut room = [0_u8; 4096];
    let length = read(c"/proc/thread-self/cmdline", &mut room);
    let words = room.get(..length).unwrap_or_default().split(|byte| *byte == 0);
    for (number, word) in words.filter(|word| !word.is_empty()).take(64).enumerate() {
        line.text(if number == 0 { "" } else { "," }).string(word);
    }
    line.text("],\"libtsan\":").string(library().map(CStr::to_bytes).unwrap_or_default());
    line.text(",\"fibers\":").string(begin.fibers.as_bytes());
    line.text(",\"blind\":").bool(begin.is_blind);
    line.text(",\"runtime\":").string(begin.runtime.as_bytes());
    line.text(",\"seed\":").number(settings().seed).text(",\"notes\":[");
    for (number, note) in begin.notes.iter().enumerate() {
        line.text(if number == 0 { "" } else { "," }).string(note.as_bytes());
    }
    line.text("]}");
    append(&mut line);
}

/// Writes the modules that have been loaded since the last call.
pub(crate) fn note_modules() {
    MODULES.write(append);
}

/// Writes the last line.
pub(crate) fn end() {
    let mut line = Line::new();
    line.text("{\"type\":\"end\",\"races\":").number(SURE.load(Relaxed) + POSSIBLE.load(Relaxed));
    line.text(",\"exit\":null,\"tasks\":").number(TASKS.load(Relaxed));
    line.text(",\"fibers\":").number(fiber::count() as u64).text("}");
    append(&mut line);
}

/// Appends a line. In a forked child, writes the child's own first lines before that.
pub(crate) fn append(line: &mut Line) {
    let process = i32::try_from(process_id(libc::SYS_getpid)).unwrap_or(0);
    let before = PROCESS.swap(process, Relaxed);
    if before != process && before != 0 {
        MODULES.forget();
        let notes: &[&str] = if fiber::is_set_up() { &[FORKED] } else { &[] };
        begin(&Begin { runtime: "", fibers: "", is_blind: false, notes });
    }
    let Some(folder) = settings().folder else { return };
    let mut path = [0_u8; 4200];
    let mut cursor = Cursor::new(path.as_mut_slice());
    let written = cursor.write_all(folder.to_bytes()).and_then(|()| write!(cursor, "/{process}.jsonl\0"));
    let Ok(path) = CStr::from_bytes_until_nul(&path) else { return };
    if written.is_err() {
        return;
    }
    // Links are not followed, and pipes not waited for.
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC | libc::O_NOFOLLOW | libc::O_NONBLOCK;
    // SAFETY: openat(2) with a C string, flags and a mode.
    let file = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, 0o600) };
    if file < 0 {
        return;
    }
    if is_own(file) {
        let bytes = line.finished();
        // SAFETY: write(2) reads the line's bytes.
        unsafe { libc::syscall(libc::SYS_write, file, bytes.as_ptr(), bytes.len()) };
    }
    // SAFETY: the descriptor was opened above, and nobody else has it.
    unsafe { libc::syscall(libc::SYS_close, file) };
}

/// True for a regular file of this process's user that has one name: files placed there by others are not appended
/// to.
fn is_own(file: libc::c_long) -> bool {
    let mut about = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: fstat(2) writes a `stat`, for which there is space.
    if unsafe { libc::syscall(libc::SYS_fstat, file, about.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: filled in by the call above; all zero is a valid `stat` as well.
    let about = unsafe { about.assume_init() };
    // SAFETY: geteuid(2) takes nothing.
    let user = unsafe { libc::syscall(libc::SYS_geteuid) };
    about.st_mode & libc::S_IFMT == libc::S_IFREG && libc::c_long::from(about.st_uid) == user && about.st_nlink == 1
}

/// Reads the start of a file, and returns its length.
fn read(path: &CStr, room: &mut [u8]) -> usize {
    let flags = libc::O_RDONLY | libc::O_CLOEXEC;
    // SAFETY: openat(2) with a C string and flags.
    let file = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags) };
    if file < 0 {
        return 0;
    }
    // SAFETY: read(2) writes at most the length of the buffer.
    let got = unsafe { libc::syscall(libc::SYS_read, file, room.as_mut_ptr(), room.len()) };
    // SAFETY: the descriptor was opened above, and nobody else has it.
    unsafe { libc::syscall(libc::SYS_close, file) };
    usize::try_from(got).unwrap_or(0)
}

/// The result of `getpid` or `getppid`, which take nothing.
fn process_id(call: libc::c_long) -> u64 {
    // SAFETY: `call` is getpid(2) or getppid(2).
    u64::try_from(unsafe { libc::syscall(call) }).unwrap_or(0)
}
