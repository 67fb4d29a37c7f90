//! The file, and writing a record to it. Unsafe: calls into the C library with the collector's pointer.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::zeroed;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering::*};

use request_format::{BLANK, HEAD, Head, end, kind};
use system::clock::monotonic_ns;
use system::errno::Errno;
use system::threads;

/// The file's path, a C string that is never freed; null when nothing is recorded.
static PATH: AtomicPtr<c_char> = AtomicPtr::new(ptr::null_mut());
static FILE: AtomicI32 = AtomicI32::new(-1);
/// Device and inode of the file that `FILE` was opened on.
static DEVICE: AtomicU64 = AtomicU64::new(0);
static INODE: AtomicU64 = AtomicU64::new(0);
static LOST: AtomicU32 = AtomicU32::new(0);

/// Lowest descriptor of the file, so that it doesn't disturb programs that expect certain numbers for the files they
/// open.
const LOWEST_DESCRIPTOR: c_int = 500;

/// Memory that a record copies, and the end of the walk through it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub(crate) address: *const c_void,
    pub(crate) length: usize,
    pub(crate) end: u32,
}

impl Buffer {
    /// Text for a record, in place of a collector's buffer.
    pub(crate) fn text(text: &[u8]) -> Self {
        Self { address: text.as_ptr().cast(), length: text.len(), end: end::ZERO }
    }
}

/// Sets the file's path. Only the first call has an effect.
pub(crate) fn to(path: &'static CStr) {
    // Release: pairs with the load in `open`; publishes the path's bytes.
    let _ = PATH.compare_exchange(ptr::null_mut(), path.as_ptr().cast_mut(), Release, Relaxed);
}

/// True if there is a file to write to. Async-signal-safe.
pub(crate) fn wanted() -> bool {
    !PATH.load(Relaxed).is_null()
}

/// Writes a record. Of the head, `kind`, `call` and `result` are used. Async-signal-safe; `errno` is preserved.
pub(crate) fn write(head: Head, buffer: Buffer) {
    let errno = Errno::save();
    write_all(head, buffer);
    errno.restore();
}

fn write_all(head: Head, buffer: Buffer) {
    let Some(file) = file() else { return lose() };
    let head = Head {
        pid: std::process::id(),
        tid: threads::id(),
        time_ns: monotonic_ns(),
        address: if head.kind >= kind::CALL { buffer.address.addr() as u64 } else { 0 },
        lost: LOST.load(Relaxed),
        ..head
    };
    if !append(file, head, buffer) {
        // The buffer's memory may be unreadable: then the call is recorded without it.
        lose();
        if buffer.length > 0 && head.kind >= kind::CALL {
            append(file, head, Buffer { length: 0, end: end::UNREADABLE, ..buffer });
        }
    }
}

fn lose() {
    LOST.fetch_add(1, Relaxed);
}

/// Writes with one `writev`, so that the record isn't split by those of others. Returns false if it was not written
/// completely.
fn append(file: c_int, head: Head, buffer: Buffer) -> bool {
    let whole = HEAD + buffer.length;
    // A record is at most a head and `MAX_BYTES`.
    let Ok(size) = u32::try_from(whole) else { return false };
    let mut head = Head { size, end: buffer.end, ..head }.to_bytes();
    let parts = [
        libc::iovec { iov_base: head.as_mut_ptr().cast(), iov_len: HEAD },
        libc::iovec { iov_base: buffer.address.cast_mut(), iov_len: buffer.length },
    ];
    // SAFETY: the head is ours; the kernel reads the buffer, and rejects memory that is not mapped.
    let written = unsafe { libc::writev(file, parts.as_ptr(), 2) };
    written.cast_unsigned() == whole
}

/// The open file. A program that closes every descriptor also closes ours, and may reuse its number for another file.
fn file() -> Option<c_int> {
    // Acquire: pairs with the compare-exchange below; publishes `DEVICE` and `INODE`.
    let known = FILE.load(Acquire);
    if known >= 0 && identity(known) == Some((DEVICE.load(Relaxed), INODE.load(Relaxed))) {
        return Some(known);
    }
    let file = open()?;
    let (device, inode) = identity(file)?;
    // Every thread that reaches this point opens the same file, so these values don't change.
    DEVICE.store(device, Relaxed);
    INODE.store(inode, Relaxed);
    // Release: pairs with the load above, of another thread; publishes `DEVICE` and `INODE`.
    if FILE.compare_exchange(known, file, AcqRel, Acquire).is_err() {
        // SAFETY: it was opened just now, and no other thread knows it.
        unsafe { libc::close(file) };
        // Acquire: pairs with the compare-exchange above, of another thread.
        return Some(FILE.load(Acquire));
    }
    Some(file)
}

fn open() -> Option<c_int> {
    // Acquire: pairs with the compare-exchange in `to`; publishes the path's bytes.
    let path = PATH.load(Acquire);
    if path.is_null() {
        return None;
    }
    let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_CLOEXEC | libc::O_NOCTTY;
    // SAFETY: `to` got a C string that is never freed.
    let low = unsafe { libc::open(path, flags, 0o666) };
    if low < 0 {
        return None;
    }
    // SAFETY: a descriptor that was opened just now.
    let high = unsafe { libc::fcntl(low, libc::F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR) };
    if high < 0 {
        return Some(low);
    }
    // SAFETY: `open` returned this descriptor just now; only its copy `high` is used from here on.
    unsafe { libc::close(low) };
    Some(high)
}

fn identity(file: c_int) -> Option<(u64, u64)> {
    // SAFETY: all zero is a valid `stat`.
    let mut about: libc::stat = unsafe { zeroed() };
    // SAFETY: `about` is writable.
    let answer = unsafe { libc::fstat(file, &raw mut about) };
    (answer == 0).then_some((about.st_dev, about.st_ino))
}

/// A head of this kind.
pub(crate) fn head(kind: u32) -> Head {
    Head { kind, ..BLANK }
}
