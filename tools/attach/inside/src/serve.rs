//! Session of a library that `ora attach` brings into a running process, on a thread of its own, which ends with the session.
//! Unsafe: memory of the process, and system calls.
//!
//! `ora` and the thread communicate through a [`Mailbox`] first. `ora` has created a pipe in the process and holds its only writer.
//! The thread creates the shared memory and publishes its descriptor; `ora` opens it in `/proc/PID/fd` and writes [`GO`]. From then
//! on the mailbox no longer exists, and the shared memory has the session's progress. The session ends when `ora` writes once more,
//! or ends in any way: then the pipe does not have a writer.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::fs::{self, File};
use std::io::{self, Read};
use std::mem::transmute;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr;
use std::sync::atomic::{
    AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
};

use system::clock::monotonic_ns;

use crate::mailbox::{GO, Mailbox, mail};
use crate::nameless;
use crate::progress::{Progress, stage};

/// Longest wait for [`GO`], or for `ora` to read a refusal.
const MAX_WAIT_MS: c_int = 10_000;
/// Maximum wait for the end of an earlier session.
const ENDING_NS: u64 = 3_000_000_000;
/// Interval at which the thread checks whether it is the last one.
const LAST_NS: u64 = 1_000_000_000;

/// The process in which a thread of this kind runs; 0 if there is none. A forked child does not have such a thread.
static SERVING: AtomicU32 = AtomicU32::new(0);

/// A library's session. Its memory exists from its creation.
pub trait Session {
    /// Time between two calls of [`Session::look`], in milliseconds.
    const LOOK_MS: c_int = 1000;

    /// Its progress, in the memory of [`Session::file`].
    fn progress(&self) -> &Progress;

    /// The shared memory's file. Requested only once.
    fn file(&mut self) -> Option<File>;

    /// Starts the session. Returns 0, or an error number of the library.
    fn start(&mut self) -> i32;

    /// Checks the process, from time to time.
    fn look(&mut self) {}

    /// Ends the session: its figures are final.
    fn stop(&mut self);

    /// Gives back what `ora` no longer needs to see.
    fn give_back(self);
}

/// The whole life of the thread: waits for an earlier session's end, creates a session, and serves.
///
/// # Safety
/// `mailbox` is a [`Mailbox`] in writable memory that stays mapped until this function unmaps it, followed by its
/// settings.
pub unsafe fn serve<S: Session>(
    mailbox: *mut Mailbox,
    is_busy: impl FnOnce() -> bool,
    make: impl FnOnce(&Mailbox, &[u8]) -> io::Result<S>,
) {
    // SAFETY: the caller's promise; the words that both sides change are atomic.
    let mail = unsafe { &*mailbox };
    for file in [mail.library_file, mail.watcher_file].into_iter().filter(|file| *file >= 0) {
        // SAFETY: `ora` has opened it in this process, for this thread alone; the dynamic linker has mapped its
        // content.
        unsafe { libc::close(file) };
    }
    if mail.call_sites >= 0 {
        hand_over_call_sites(mail.call_sites);
    }
    // SAFETY: `ora` has opened it in this process, for this thread alone.
    let reader = nameless::high(unsafe { File::from_raw_fd(mail.reader) });
    if let Some((stage, errno)) = answer(mail, &reader, is_busy, make) {
        mail.errno.store(errno, Relaxed);
        // Release: pairs with nothing: `ora` reads from outside, after the thread has continued.
        mail.stage.store(stage, Release);
        // Until `ora` has read that, and closes its end.
        is_readable(&reader, MAX_WAIT_MS);
        // If `ora` was killed before, the thread that created this one may still run code in the mapping, which is
        // kept.
        if mail.restored.load(Relaxed) != 0 {
            unmap(mail.mapping, mail.mapping_bytes);
        }
    }
}

/// Hands `libora.so` the file with the calls that gcc's code makes for constructs. An older one has no use for it.
fn hand_over_call_sites(file: c_int) {
    /// `ora_read_call_sites`.
    type Read = unsafe extern "C-unwind" fn(c_int);
    // SAFETY: a C string; the call only looks it up (dlsym(3)).
    let read = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"ora_read_call_sites".as_ptr()) };
    if read.is_null() {
        // SAFETY: `ora` has opened it in this process, for this thread alone.
        unsafe { libc::close(file) };
        return;
    }
    // SAFETY: the library gives the symbol of this name this type (ora/src/exports.rs).
    let read = unsafe { transmute::<*mut c_void, Read>(read) };
    // SAFETY: `ora` has opened it in this process, for this thread alone.
    unsafe { read(file) };
}

/// Waits for an earlier session's end, creates a session, and serves. Returns a refusal with an error number of the system, while the
/// mailbox still exists.
fn answer<S: Session>(
    mail: &Mailbox,
    reader: &File,
    is_busy: impl FnOnce() -> bool,
    make: impl FnOnce(&Mailbox, &[u8]) -> io::Result<S>,
) -> Option<(u32, i32)> {
    // A session that is over for `ora` may still be giving its memory back.
    let (begun, own) = (monotonic_ns(), std::process::id());
    // Acquire: pairs with the store below; the last session's memory has been given back.
    while SERVING.swap(own, Acquire) == own {
        if monotonic_ns() - begun > ENDING_NS {
            return Some((mail::BUSY, 0));
        }
        system::threads::pause(1_000_000);
    }
    let refusal = if is_busy() {
        Some((mail::BUSY, 0))
    } else {
        // SAFETY: `ora` has written this number of bytes after the mailbox, in the same mapping, and no longer
        // changes them.
        let settings = unsafe { settings(mail) };
        let served = make(mail, settings).and_then(|session| run(mail, reader, session));
        served.err().map(|error| (mail::REFUSED, error.raw_os_error().unwrap_or(0)))
    };
    // Release: pairs with the swap above.
    SERVING.store(0, Release);
    refusal
}

/// The settings' text.
///
/// # Safety
/// The words of the mailbox are 0, or those of readable memory that exists as long as the mailbox.
unsafe fn settings(mail: &Mailbox) -> &[u8] {
    let [start, length] = mail.settings.map(|word| usize::try_from(word).unwrap_or(0));
    if start == 0 {
        return &[];
    }
    // SAFETY: not null, so readable memory that exists as long as the mailbox (by this function's `# Safety`).
    unsafe { std::slice::from_raw_parts(ptr::with_exposed_provenance(start), length) }
}

/// Publishes the descriptor and serves. Errors come from the time before [`GO`]: the mailbox still exists.
fn run<S: Session>(mail: &Mailbox, mut reader: &File, mut session: S) -> io::Result<()> {
    let file = session.file().ok_or(io::ErrorKind::NotFound)?;
    mail.area.store(file.as_raw_fd(), Relaxed);
    // Release: pairs with nothing: `ora` reads from outside.
    mail.stage.store(mail::READY, Release);
    let mut byte = [0];
    let goes = is_readable(reader, MAX_WAIT_MS) && reader.read_exact(&mut byte).is_ok() && byte == [GO];
    drop(file);
    if !goes {
        session.give_back();
        return Err(io::ErrorKind::TimedOut.into());
    }
    unmap(mail.mapping, mail.mapping_bytes);
    let answer = session.start();
    session.progress().answer.store(answer, Relaxed);
    // Release: pairs with nothing here; `ora` sees the answer with it.
    session.progress().stage.store(stage::WATCHING, Release);
    let mut looked_ns = monotonic_ns();
    while !is_readable(reader, S::LOOK_MS) {
        session.look();
        let now_ns = monotonic_ns();
        if now_ns - looked_ns >= LAST_NS {
            looked_ns = now_ns;
            if is_last_thread() {
                break;
            }
        }
    }
    session.stop();
    session.progress().stage.store(stage::DONE, Release);
    session.give_back();
    Ok(())
}

/// Unmaps the memory that `ora` has mapped. It is not used from here on.
fn unmap(start: u64, bytes: u64) {
    let (Ok(start), Ok(bytes)) = (usize::try_from(start), usize::try_from(bytes)) else { return };
    // SAFETY: a mapping that `ora` made for this thread alone; the machine code in it has jumped to the entry point
    // and is not returned to.
    unsafe { libc::munmap(ptr::with_exposed_provenance_mut(start), bytes) };
}

/// Waits for a byte, or for the end of all writers. Returns false after `milliseconds`, and after a signal.
fn is_readable(file: &File, milliseconds: c_int) -> bool {
    let mut wait = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one writable entry.
    unsafe { libc::poll(&raw mut wait, 1, milliseconds) > 0 }
}

/// True if all of the program's threads have ended: the process would continue only for this one.
fn is_last_thread() -> bool {
    let Ok(text) = fs::read_to_string("/proc/self/stat") else { return false };
    // After the name, which may contain anything: state, and as the 18th field the number of threads (proc(5)).
    let mut fields = text.rsplit(") ").next().unwrap_or_default().split(' ');
    let state = fields.next().unwrap_or_default();
    let threads = fields.nth(16).and_then(|number| number.parse::<u32>().ok());
    state == "Z" && threads.is_some_and(|threads| threads <= 2)
}
