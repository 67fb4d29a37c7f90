//! Shared memory of the process table. Unsafe: `mmap` and its results.
//!
//! `ora` creates a file without a name (`memfd_create`), so that nothing remains however the processes end. The
//! program opens it as `/proc/PID/fd/N` while `ora` is running.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::process_table::ProcessTable;

/// The process table on `ora`'s side.
#[derive(Debug)]
pub struct SharedTable {
    file: File,
    table: &'static ProcessTable,
}

impl SharedTable {
    /// Creates an empty table.
    ///
    /// # Errors
    /// If the system refuses the memory.
    pub fn create() -> io::Result<Self> {
        let file = system::nameless_file::create(c"ora-validate")?;
        file.set_len(size_of::<ProcessTable>() as u64)?;
        // Otherwise the program could kill `ora` by shrinking the file.
        system::nameless_file::fix_size(&file);
        let table = map(file.as_raw_fd())?;
        table.version.store(ProcessTable::VERSION, Relaxed);
        // Release: pairs with the load in `of_file`; publishes the version.
        table.magic.store(ProcessTable::MAGIC, Release);
        Ok(Self { file, table })
    }

    /// The process table.
    pub fn table(&self) -> &ProcessTable {
        self.table
    }

    /// Path by which other processes open the table while this one is running.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd())
    }
}

/// The table in a file that the program has opened. `None` if the file has another format.
pub fn of_file(file: &File) -> Option<&'static ProcessTable> {
    let large_enough = file.metadata().is_ok_and(|about| about.len() >= size_of::<ProcessTable>() as u64);
    let table = large_enough.then(|| map(file.as_raw_fd()).ok()).flatten()?;
    // Acquire: pairs with the store in `create`; publishes the version.
    let ours = table.magic.load(Acquire) == ProcessTable::MAGIC && table.version.load(Relaxed) == ProcessTable::VERSION;
    ours.then_some(table)
}

/// Maps the table for the lifetime of the process.
fn map(fd: RawFd) -> io::Result<&'static ProcessTable> {
    let (bytes, access) = (size_of::<ProcessTable>(), libc::PROT_READ | libc::PROT_WRITE);
    // SAFETY: a new mapping at a place that the kernel chooses doesn't overlap memory in use.
    let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, libc::MAP_SHARED, fd, 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let start = NonNull::<ProcessTable>::new(start.cast()).ok_or_else(|| io::Error::other("mapped at address 0"))?;
    // SAFETY: the mapping has the size of a table, is page-aligned, and is never unmapped; all fields are atomics for
    // which any value is valid, so other processes may write them meanwhile.
    Ok(unsafe { start.as_ref() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &str) -> Option<&'static ProcessTable> {
        of_file(&File::options().read(true).write(true).open(path).ok()?)
    }

    #[test]
    fn what_one_end_writes_the_other_end_reads() {
        let shared = SharedTable::create().unwrap();
        let other = open(&shared.path()).unwrap();
        let process = other.claim().unwrap();
        process.command.set(b"./program\0input");
        process.pid.store(7, Release);
        let read = shared.table().processes().next().unwrap();
        assert_eq!((read.pid.load(Relaxed), read.command.get()), (7, "./program input".to_owned()));
    }

    #[test]
    fn no_process_can_change_the_size() {
        let shared = SharedTable::create().unwrap();
        let other = File::options().write(true).open(shared.path()).unwrap();
        other.set_len(0).unwrap_err();
        assert!(open(&shared.path()).is_some());
    }

    #[test]
    fn files_that_are_something_else_are_refused() {
        for path in ["/dev/null", "/no/such/file", "/proc/self/exe"] {
            assert!(open(path).is_none(), "{path}");
        }
        let shared = SharedTable::create().unwrap();
        shared.table().version.store(ProcessTable::VERSION + 1, Relaxed);
        assert!(open(&shared.path()).is_none());
    }
}
