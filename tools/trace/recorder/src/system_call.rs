//! System calls on files, bypassing the C library's functions of these names, which sanitizers intercept.
#![allow(unsafe_code)] // system calls

use std::ffi::{CStr, c_int, c_long};
use std::ptr;

use system::file_room;

/// An open file, closed on drop.
#[derive(Debug)]
pub(crate) struct Descriptor(c_int);

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: `open` got the descriptor; only this value has it, and it is closed once (close(2)).
        unsafe { libc::syscall(libc::SYS_close, self.0) };
    }
}

impl Descriptor {
    /// Opens a file of the recording or of `/proc`; otherwise returns an error number. Links are not followed and pipes not waited for.
    /// Created files are writable by the user and the group, as the umask allows.
    pub(crate) fn open(path: &CStr, flags: c_int) -> Result<Self, c_int> {
        let flags = flags | libc::O_CLOEXEC | libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
        // SAFETY: `path` is a C string, which the call only reads; the mode is there for O_CREAT (openat(2)).
        let number = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, 0o664) };
        c_int::try_from(number).ok().filter(|number| *number >= 0).map(Self).ok_or_else(error)
    }

    /// Allocates space on the disk, so that writing to a mapping of it never fails; otherwise returns an error
    /// number.
    pub(crate) fn take_room(&self, offset: u64, bytes: u64) -> Result<(), c_int> {
        file_room::take(self.0, offset, bytes)
    }

    /// Writes bytes at an offset, if the limit on file sizes allows it; otherwise returns an error number.
    pub(crate) fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), c_int> {
        if offset.saturating_add(bytes.len() as u64) > file_room::limit() {
            return Err(libc::EFBIG);
        }
        let (mut rest, mut at) = (bytes, offset);
        while !rest.is_empty() {
            // SAFETY: the kernel reads these bytes (pwrite(2)).
            let put = unsafe { libc::syscall(libc::SYS_pwrite64, self.0, rest.as_ptr(), rest.len(), at.cast_signed()) };
            match usize::try_from(put) {
                Ok(put @ 1..) => {
                    rest = rest.get(put..).unwrap_or_default();
                    at += put as u64;
                }
                Ok(0) => return Err(libc::ENOSPC),
                Err(_) => return Err(error()),
            }
        }
        Ok(())
    }

    /// Maps a part of the file, shared and with its pages in memory: writes go to the file.
    pub(crate) fn map(&self, offset: u64, bytes: usize) -> Result<*mut u8, c_int> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_POPULATE);
        let nowhere = ptr::null::<u8>();
        // SAFETY: a new mapping at a place that the kernel chooses touches no memory in use (mmap(2)).
        let base =
            unsafe { libc::syscall(libc::SYS_mmap, nowhere, bytes, protection, flags, self.0, offset.cast_signed()) };
        // Addresses of a program are positive numbers; an error is -1.
        usize::try_from(base).map(ptr::with_exposed_provenance_mut).map_err(|_| error())
    }

    /// Reads the start of the file in one call, and returns the number of bytes.
    pub(crate) fn read(&self, into: &mut [u8]) -> usize {
        // SAFETY: the kernel writes at most `into.len()` bytes, to `into` (read(2)).
        let got = unsafe { libc::syscall(libc::SYS_read, self.0, into.as_mut_ptr(), into.len()) };
        usize::try_from(got).unwrap_or(0)
    }

    /// Appends bytes in one call, if the limit on file sizes allows it. The file was opened with O_APPEND.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<(), c_int> {
        // SAFETY: lseek(2) takes numbers: no memory is touched.
        let length = unsafe { libc::syscall(libc::SYS_lseek, self.0, 0, libc::SEEK_END) };
        if u64::try_from(length).unwrap_or(0).saturating_add(bytes.len() as u64) > file_room::limit() {
            return Err(libc::EFBIG);
        }
        // SAFETY: the kernel reads these bytes (write(2)).
        let put = unsafe { libc::syscall(libc::SYS_write, self.0, bytes.as_ptr(), bytes.len()) };
        if usize::try_from(put) == Ok(bytes.len()) { Ok(()) } else { Err(error()) }
    }
}

/// Unmaps a mapping.
///
/// # Safety
/// The memory isn't referenced any more.
pub(crate) unsafe fn unmap(base: *mut u8, bytes: usize) {
    // SAFETY: the memory isn't referenced, by this function's `# Safety`.
    unsafe { libc::syscall(libc::SYS_munmap, base, bytes) };
}

/// Creates a folder in which others may not write, regardless of the umask; otherwise returns an error number.
pub(crate) fn make_folder(path: &CStr) -> Result<(), c_int> {
    // SAFETY: `path` is a C string, which the call only reads (mkdirat(2)).
    let answer: c_long = unsafe { libc::syscall(libc::SYS_mkdirat, libc::AT_FDCWD, path.as_ptr(), 0o775) };
    if answer == 0 { Ok(()) } else { Err(error()) }
}

/// The current process's number, even in a child that was forked without the C library.
pub(crate) fn process() -> u32 {
    // SAFETY: getpid(2) takes nothing.
    u32::try_from(unsafe { libc::syscall(libc::SYS_getpid) }).unwrap_or(0)
}

/// The error number of the last call.
fn error() -> c_int {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}
