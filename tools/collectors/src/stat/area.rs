//! The shared memory itself. Unsafe: `mmap` and what comes of it.
//!
//! `ora` makes a file that has no name (`memfd_create`), so that nothing is left behind whatever kills whom; programs reach
//! it as `/proc/PID/fd/N` while `ora` lives.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use super::layout::{Area, MAGIC, VERSION};

/// `ora`'s end of the shared memory.
#[derive(Debug)]
pub struct SharedArea {
    file: File,
    mapped: NonNull<Area>,
}

// SAFETY: an `Area` has no owner thread: it is made of atomics, and written by other processes anyway.
unsafe impl Send for SharedArea {}
// SAFETY: as above.
unsafe impl Sync for SharedArea {}

impl SharedArea {
    /// Makes an empty one.
    ///
    /// # Errors
    /// Where the system refuses the memory.
    pub fn create() -> io::Result<Self> {
        // SAFETY: a plain system call with a constant string.
        let fd = unsafe { libc::memfd_create(c"ora-stat".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call above returned this descriptor, and nobody else owns it.
        let file = unsafe { File::from_raw_fd(fd) };
        file.set_len(size_of::<Area>() as u64)?;
        let shared = Self { mapped: map(fd)?, file };
        shared.area().header.version.store(VERSION, Relaxed);
        // Release: who reads the magic number sees the version.
        shared.area().header.magic.store(MAGIC, Release);
        Ok(shared)
    }

    /// What is in it.
    pub fn area(&self) -> &Area {
        // SAFETY: `create` mapped these bytes, all zero, which every field allows; they stay mapped until drop, and all
        // fields are atomics, so that other processes may write them meanwhile.
        unsafe { self.mapped.as_ref() }
    }

    /// Where other processes find it while this one lives.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd())
    }
}

impl Drop for SharedArea {
    fn drop(&mut self) {
        // SAFETY: mapped by `create` with this size; `area` lends it only for the life of `self`.
        unsafe { libc::munmap(self.mapped.as_ptr().cast(), size_of::<Area>()) };
    }
}

/// The collector's end: stays mapped as long as the process lives. `None` where there is no such file, or it is something
/// else. Allocates nothing.
pub(super) fn open(path: &CStr) -> Option<&'static Area> {
    // SAFETY: `path` is a C string; the call only reads it.
    let fd = unsafe { libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
    if fd < 0 {
        return None;
    }
    let mapped = if size_of_file(fd) == Some(size_of::<Area>()) { map(fd).ok() } else { None };
    // SAFETY: opened above, used nowhere else; a mapping outlives its descriptor.
    unsafe { libc::close(fd) };
    // SAFETY: as large as an `Area`, never unmapped, and atomics throughout.
    let area = unsafe { mapped?.as_ref() };
    // Acquire: pairs with the store of the magic number.
    let ours = area.header.magic.load(Acquire) == MAGIC && area.header.version.load(Relaxed) == VERSION;
    ours.then_some(area)
}

fn size_of_file(fd: RawFd) -> Option<usize> {
    // SAFETY: all zero is a valid `stat`.
    let mut about: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: `about` is there to be written.
    let answer = unsafe { libc::fstat(fd, &raw mut about) };
    if answer == 0 { usize::try_from(about.st_size).ok() } else { None }
}

fn map(fd: RawFd) -> io::Result<NonNull<Area>> {
    let size = size_of::<Area>();
    // SAFETY: a new mapping at a place that the kernel chooses touches nobody's memory.
    let start =
        unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, fd, 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // Not in the program's core dumps. A refusal does no harm.
    // SAFETY: the range was mapped two lines up.
    unsafe { libc::madvise(start, size, libc::MADV_DONTDUMP) };
    NonNull::new(start.cast()).ok_or_else(|| io::Error::other("mapped at address 0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;

    fn path(of: &SharedArea) -> CString {
        CString::new(of.path()).unwrap()
    }

    #[test]
    fn what_one_end_writes_the_other_end_reads() {
        let shared = SharedArea::create().unwrap();
        let other = open(&path(&shared)).unwrap();
        other.header.others.store(42, Relaxed);
        assert_eq!(shared.area().header.others.load(Relaxed), 42);
    }

    #[test]
    fn files_that_are_something_else_are_refused() {
        assert!(open(c"/dev/null").is_none());
        assert!(open(c"/no/such/file").is_none());
        assert!(open(c"/proc/self/exe").is_none());
        let shared = SharedArea::create().unwrap();
        shared.area().header.version.store(VERSION + 1, Relaxed);
        assert!(open(&path(&shared)).is_none());
    }
}
