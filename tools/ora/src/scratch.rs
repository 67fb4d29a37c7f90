//! Temporary folders. Unsafe: a signal handler starts the command that removes them.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char};
use std::fs::Permissions;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use tempfile::{Builder, TempDir};

use crate::signals;

/// Maximum number of folders of a command.
const MAX_FOLDERS: usize = 8;

/// Paths of the existing folders; never freed, because a handler may read them at any time.
static FOLDERS: [AtomicPtr<c_char>; MAX_FOLDERS] = [const { AtomicPtr::new(ptr::null_mut()) }; MAX_FOLDERS];

/// Folder below `TMPDIR` that nobody else may read. It is removed on drop, and when a signal ends the command.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
    /// Dropped after the folder has been removed.
    _place: Place,
}

/// Index of a folder in [`FOLDERS`], which is free again on drop; `None` if it isn't there.
#[derive(Debug)]
struct Place(Option<usize>);

/// Creates a new, empty folder.
///
/// # Errors
/// If it can't be created.
pub(crate) fn folder() -> io::Result<Scratch> {
    signals::before_ending(leave);
    signals::hold_back(|| {
        let folder = Builder::new().prefix("ora-").permissions(Permissions::from_mode(0o700)).tempdir()?;
        // A signal leaves the folder behind if its path contains a zero byte, or if there are too many folders.
        let path = CString::new(folder.path().as_os_str().as_bytes()).ok();
        let place = path.and_then(|path| enter(path.into_raw()));
        Ok(Scratch { folder, _place: Place(place) })
    })
}

impl Scratch {
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        self.path()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(place) = self.0.and_then(|place| FOLDERS.get(place)) {
            place.store(ptr::null_mut(), Relaxed);
        }
    }
}

fn enter(path: *mut c_char) -> Option<usize> {
    let free = |place: &AtomicPtr<c_char>| place.compare_exchange(ptr::null_mut(), path, Relaxed, Relaxed).is_ok();
    FOLDERS.iter().position(free)
}

/// Makes another process remove the folders, as this one is about to end. Async-signal-safe: system calls only.
pub(crate) fn leave() {
    for place in &FOLDERS {
        let path = place.swap(ptr::null_mut(), Relaxed);
        if !path.is_null() {
            start_removal(path);
        }
    }
}

fn start_removal(path: *const c_char) {
    let words = [c"rm".as_ptr(), c"-rf".as_ptr(), c"--".as_ptr(), path, ptr::null()];
    let no_variables = [ptr::null()];
    let signal_at_end = libc::c_long::from(libc::SIGCHLD);
    // SAFETY: clone(2) without a new stack and without shared memory, which is fork(2) without the handlers of `pthread_atfork`.
    if unsafe { libc::syscall(libc::SYS_clone, signal_at_end, 0, 0, 0, 0) } != 0 {
        return;
    }
    // SAFETY: C strings in a null-terminated array, which outlive the call. Runs in the child, which only makes system calls.
    unsafe { libc::execve(c"/bin/rm".as_ptr(), words.as_ptr(), no_variables.as_ptr()) };
    // SAFETY: ends the child, which has nothing left to do.
    unsafe { libc::_exit(1) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_may_read_it() {
        let mode = folder().unwrap().path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
