//! Progress of a session, in memory that `ora` reads from outside. Unsafe: a mapping.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicI32, AtomicU32};

use system::memory::page_size;

use crate::nameless;

/// Stage of a session. Valid when all zero.
#[repr(C)]
#[derive(Debug)]
pub struct Progress {
    /// One of [`stage`].
    pub stage: AtomicU32,
    /// The answer to the start: 0, or the library's error number.
    pub answer: AtomicI32,
}

/// Stages of a session. Values of [`Progress::stage`].
pub mod stage {
    /// The session has started. Stored with the answer.
    pub const WATCHING: u32 = 1;
    /// The session is over, and its figures are final.
    pub const DONE: u32 = 2;
}

/// Replaces the library's answer if there is no interface in this process, or the process is not to be watched.
pub const START_IMPOSSIBLE: i32 = i32::MAX - 1;
/// Replaces it if no file can be created in the requested folder.
pub const NO_FILE: i32 = i32::MAX - 2;
/// Replaces it if the program has a handler of its own for each signal that could interrupt it.
pub const NO_SIGNAL: i32 = i32::MAX - 3;
/// Replaces it if another tool of OpenMP 5 has been attached to the process.
pub const OTHER_TOOL: i32 = i32::MAX - 4;

/// Shared memory with only a [`Progress`], for a session whose figures are in files.
#[derive(Debug)]
pub struct ProgressPage {
    mapped: NonNull<Progress>,
}

impl ProgressPage {
    /// Creates the page, and its file.
    ///
    /// # Errors
    /// If the system refuses the memory.
    pub fn create() -> io::Result<(File, Self)> {
        let file = nameless::create_fixed(c"ora-attach", page_size() as u64)?;
        let page = Self::map(&file, libc::PROT_READ | libc::PROT_WRITE)?;
        Ok((file, page))
    }

    /// Maps the file of another process, for reading.
    ///
    /// # Errors
    /// If its size isn't fixed, or it is too small: the other process could make the mapping invalid.
    #[allow(clippy::needless_pass_by_value, reason = "as the other kinds of memory, which keep the file")]
    pub fn from_file(file: File) -> io::Result<Self> {
        nameless::check_fixed(&file, page_size() as u64)?;
        Self::map(&file, libc::PROT_READ)
    }

    fn map(file: &File, access: i32) -> io::Result<Self> {
        // SAFETY: a new mapping at a place that the kernel chooses touches no memory in use (mmap(2)).
        let start = unsafe { libc::mmap(ptr::null_mut(), page_size(), access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mapped = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { mapped })
    }

    /// The progress in it.
    pub fn progress(&self) -> &Progress {
        // SAFETY: `map` mapped a page, of zeros or what the other process writes: atomics throughout, until drop.
        unsafe { self.mapped.as_ref() }
    }
}

impl Drop for ProgressPage {
    fn drop(&mut self) {
        // SAFETY: mapped by `map` with this size; `progress` lends it for the life of `self` only.
        unsafe { libc::munmap(self.mapped.as_ptr().cast(), page_size()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn what_one_end_writes_the_other_end_reads() {
        let (file, page) = ProgressPage::create().unwrap();
        let other = ProgressPage::from_file(file.try_clone().unwrap()).unwrap();
        page.progress().stage.store(stage::DONE, Relaxed);
        assert_eq!(other.progress().stage.load(Relaxed), stage::DONE);
    }

    #[test]
    fn a_page_whose_size_can_change_is_refused() {
        let (file, _page) = ProgressPage::create().unwrap();
        file.set_len(0).unwrap_err();
        ProgressPage::from_file(file).unwrap();
        let open = nameless::create(c"of-a-test").unwrap();
        open.set_len(page_size() as u64).unwrap();
        ProgressPage::from_file(open).unwrap_err();
        ProgressPage::from_file(nameless::create_fixed(c"of-a-test", 8).unwrap()).unwrap_err();
    }
}
