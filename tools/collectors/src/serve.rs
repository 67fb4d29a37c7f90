//! Entry point of a collector that `ora attach` brings into a running process, on a thread of its own, which ends with the session.
//! Unsafe: memory of the process, and system calls.
//!
//! `ora` and the thread talk through a [`Mailbox`] first. The thread makes the shared memory and a pipe, and shows their
//! descriptors; `ora` opens both in `/proc/PID/fd` and writes [`GO`]. From then on the mailbox is gone, and the shared memory says how
//! far the collector is. The session ends when `ora` writes once more, or ends in any way: the pipe has no writer then.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::ptr;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
};

use crate::area::{Place, Shared};
use crate::clock::monotonic_ns;
use crate::roll::stage;
use crate::ticks::Source;
use crate::{nameless, stat, tasks};

/// Words that `ora` writes into the process before the thread begins, and that the thread answers in. The first ones are read by
/// machine code (`remote::arch`), up to `stage`.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Mailbox {
    /// Address of `pthread_detach`.
    pub detach: u64,
    /// Address of `dlopen`.
    pub dlopen: u64,
    /// Address of `dlsym`.
    pub dlsym: u64,
    /// Address of `dlerror`.
    pub dlerror: u64,
    /// Address of the name of `libora.so`.
    pub library: u64,
    /// Address of the name of the collectors' library.
    pub collectors: u64,
    /// Address of the name of the entry point.
    pub entry: u64,
    /// The thread, a `pthread_t`.
    pub thread: u64,
    /// Address of the dynamic linker's message, or 0.
    pub error: u64,
    /// One of [`mail`].
    pub stage: AtomicU32,
    /// The collector: one of [`kind`].
    pub kind: u32,
    /// Items of the row behind the shared memory.
    pub items: u64,
    /// The memory that `ora` has mapped: the thread unmaps it.
    pub mapping: u64,
    /// Its size in bytes.
    pub mapping_bytes: u64,
    /// Descriptor of the shared memory.
    pub area: AtomicI32,
    /// Descriptor of the pipe's end that is written to.
    pub pipe: AtomicI32,
    /// An error number of the system.
    pub errno: AtomicI32,
    /// Descriptor of the file in memory that `libora.so` was loaded from, to be closed; 0: none.
    pub library_file: i32,
    /// The same of the collectors' library.
    pub collectors_file: i32,
    /// The result of `pthread_create`, plus one; 0: it has not returned.
    pub created: AtomicU32,
}

/// Values of [`Mailbox::stage`].
pub mod mail {
    /// The thread runs.
    pub const BEGUN: u32 = 1;
    /// The dynamic linker refuses a library: its message is in `error`.
    pub const NOT_LOADED: u32 = 2;
    /// The descriptors are there.
    pub const READY: u32 = 3;
    /// The system refuses memory or descriptors: see `errno`.
    pub const REFUSED: u32 = 4;
    /// A collector of `ora` watches this process already.
    pub const BUSY: u32 = 5;
}

/// Values of [`Mailbox::kind`].
pub mod kind {
    /// That of `ora stat`.
    pub const STAT: u32 = 1;
    /// That of `ora tasks`.
    pub const TASKS: u32 = 2;
}

/// Name of the entry point.
pub const ENTRY: &str = "ora_collectors_serve";

/// Byte that lets the session begin.
pub const GO: u8 = b'g';

/// So long the thread waits for [`GO`].
const PATIENCE_MS: c_int = 10_000;
/// So long it waits for the end of an earlier one.
const ENDING_NS: u64 = 3_000_000_000;
/// So often it looks if it is the last thread.
const LOOK_MS: c_int = 1000;

/// True while a thread of this kind runs.
static SERVING: AtomicBool = AtomicBool::new(false);

static STAT_MEMORY: Place = Place::none();
static TASKS_MEMORY: Place = Place::none();

/// The whole life of the thread.
///
/// # Safety
/// `mailbox` is a [`Mailbox`] in writable memory that stays until this function unmaps it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ora_collectors_serve(mailbox: *mut Mailbox) -> *mut c_void {
    // SAFETY: the caller's promise; what both sides change is atomic.
    let mail = unsafe { &*mailbox };
    for file in [mail.library_file, mail.collectors_file].into_iter().filter(|file| *file > 0) {
        // SAFETY: `ora` has opened it in this process, for this thread alone; the dynamic linker has mapped what it holds.
        unsafe { libc::close(file) };
    }
    // A session that is over for `ora` may still be giving its memory back.
    // Acquire: pairs with the store below; the last session's memory is given back.
    let begun = monotonic_ns();
    while SERVING.swap(true, Acquire) {
        if monotonic_ns() - begun > ENDING_NS {
            // Release: pairs with nothing: `ora` reads from outside, when the thread has gone on.
            mail.stage.store(mail::BUSY, Release);
            return ptr::null_mut();
        }
        system::threads::pause(1_000_000);
    }
    if stat::is_open() || tasks::is_open() {
        mail.stage.store(mail::BUSY, Release);
    } else {
        let served = if mail.kind == kind::TASKS {
            serve::<tasks::layout::Area>(mail, &TASKS_MEMORY, tasks::start, tasks::stop)
        } else {
            serve::<stat::layout::Area>(mail, &STAT_MEMORY, |area, _| stat::start(area), stat::stop)
        };
        if let Err(error) = served {
            mail.errno.store(error.raw_os_error().unwrap_or(0), Relaxed);
            mail.stage.store(mail::REFUSED, Release);
        }
    }
    // Release: pairs with the swap above.
    SERVING.store(false, Release);
    ptr::null_mut()
}

/// Shows the descriptors and serves. An error comes from the time before [`GO`]: the mailbox is still there.
fn serve<T: Shared>(
    mail: &Mailbox,
    memory: &Place,
    start: impl FnOnce(&'static T, &'static [T::Item]) -> i32,
    stop: impl FnOnce(),
) -> io::Result<()> {
    let (file, area, items) = memory.make::<T>(usize::try_from(mail.items).unwrap_or(0))?;
    let header = &area.roll().header;
    header.root_pid.store(std::process::id(), Relaxed);
    header.no_follow.store(1, Relaxed);
    header.clock.store(Source::best() as u32, Relaxed);
    let (mut reader, writer) = pipe()?;
    mail.area.store(file.as_raw_fd(), Relaxed);
    mail.pipe.store(writer.as_raw_fd(), Relaxed);
    mail.stage.store(mail::READY, Release);
    let mut byte = [0];
    let goes = is_readable(&reader, PATIENCE_MS) && reader.read_exact(&mut byte).is_ok() && byte == [GO];
    drop(writer);
    drop(file);
    if !goes {
        memory.give_back();
        return Err(io::ErrorKind::TimedOut.into());
    }
    let (mapping, bytes) = (mail.mapping, mail.mapping_bytes);
    unmap(mapping, bytes);
    header.answer.store(start(area, items), Relaxed);
    // Release: pairs with nothing here; `ora` sees the answer with it.
    header.stage.store(stage::WATCHING, Release);
    while !is_readable(&reader, LOOK_MS) && !is_last_thread() {}
    stop();
    header.stage.store(stage::DONE, Release);
    memory.give_back();
    Ok(())
}

/// Unmaps the memory that `ora` has mapped. Nothing in it is used from here on.
fn unmap(start: u64, bytes: u64) {
    let (Ok(start), Ok(bytes)) = (usize::try_from(start), usize::try_from(bytes)) else { return };
    // SAFETY: a mapping that `ora` made for this thread alone; the machine code in it has jumped to the entry point for good.
    unsafe { libc::munmap(ptr::with_exposed_provenance_mut(start), bytes) };
}

/// A pipe whose descriptors are out of the program's way.
fn pipe() -> io::Result<(File, File)> {
    let mut ends: [RawFd; 2] = [0; 2];
    // SAFETY: `ends` has room for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `pipe2` returned these descriptors, and nobody else owns them.
    let [reader, writer] = ends.map(|end| nameless::high(unsafe { File::from_raw_fd(end) }));
    Ok((reader, writer))
}

/// Waits for a byte, or for the end of all writers. False after so many milliseconds, and after a signal.
fn is_readable(file: &File, milliseconds: c_int) -> bool {
    let mut wait = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, there to be written.
    unsafe { libc::poll(&raw mut wait, 1, milliseconds) > 0 }
}

/// True if all of the program's threads have ended: the process would go on for this one alone.
fn is_last_thread() -> bool {
    let Ok(text) = fs::read_to_string("/proc/self/stat") else { return false };
    // Behind the name, which may have anything in it: state, and as the 18th field the number of threads (proc(5)).
    let mut fields = text.rsplit(") ").next().unwrap_or_default().split(' ');
    let state = fields.next().unwrap_or_default();
    let threads = fields.nth(16).and_then(|number| number.parse::<u32>().ok());
    state == "Z" && threads.is_some_and(|threads| threads <= 2)
}

const _: () = assert!(std::mem::offset_of!(Mailbox, stage) == 72 && std::mem::offset_of!(Mailbox, created) == 124);
