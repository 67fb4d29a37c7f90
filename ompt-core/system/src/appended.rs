//! Files to which all processes of a program append lines.
#![allow(unsafe_code)] // opens and closes a file

use crate::line;
use std::ffi::{CStr, c_int};

/// Longest path that is read or opened, in bytes (`PATH_MAX`).
pub const LONGEST: usize = 4096;

/// An open file to which lines are appended. Closed when it is dropped.
#[derive(Debug)]
pub struct Appended(c_int);

impl Appended {
    /// Opens the file at `path` to be appended to (`O_APPEND`), and creates it if it doesn't exist. `None` where that
    /// fails.
    pub fn open(path: &CStr) -> Option<Self> {
        let how = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC;
        // SAFETY: `path` is a C string, which the call only reads (open(2)).
        let file = unsafe { libc::open(path.as_ptr(), how, 0o666) };
        (file >= 0).then_some(Self(file))
    }

    /// Appends one line, made of these parts, by a single system call. Errors are ignored.
    #[inline]
    pub fn write(&self, parts: &[&[u8]]) {
        line::write(self.0, parts);
    }
}

impl Drop for Appended {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: `open` returned this descriptor, which only this value has.
        unsafe { libc::close(self.0) };
    }
}

/// The target of a symbolic link; empty where it can't be read.
pub fn target<'room>(link: &CStr, room: &'room mut [u8; LONGEST]) -> &'room [u8] {
    // SAFETY: `link` is a C string, and `room` has LONGEST bytes to be written (readlink(2)).
    let length = unsafe { libc::readlink(link.as_ptr(), room.as_mut_ptr().cast(), LONGEST) };
    usize::try_from(length).ok().and_then(|length| room.get(..length)).unwrap_or_default()
}
