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
    /// Opens the file at `path` to be appended to (`O_APPEND`), and creates it if it doesn't exist. `None` if that
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

/// The target of a symbolic link; empty if it can't be read.
pub fn target<'room>(link: &CStr, room: &'room mut [u8; LONGEST]) -> &'room [u8] {
    // SAFETY: `link` is a C string, and `room` has LONGEST bytes to be written (readlink(2)).
    let length = unsafe { libc::readlink(link.as_ptr(), room.as_mut_ptr().cast(), LONGEST) };
    usize::try_from(length).ok().and_then(|length| room.get(..length)).unwrap_or_default()
}

/// Writes the real path of a file into `room`, and returns its length.
#[inline]
pub fn true_name(path: &CStr, room: &mut [u8; LONGEST]) -> usize {
    // SAFETY: `path` is a `CStr`; open(2) without `O_CREAT` reads no further argument.
    let file = unsafe { libc::open(path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC) };
    let Ok(number) = u64::try_from(file) else { return 0 };
    let mut link = [0; 48];
    let mut decimal = [0; 20];
    let name = b"/proc/thread-self/fd/".iter().chain(line::digits(number, line::DECIMAL, &mut decimal));
    link.iter_mut().zip(name).for_each(|(byte, letter)| *byte = *letter);
    let length = CStr::from_bytes_until_nul(&link).map_or(0, |link| target(link, room).len());
    // SAFETY: `file` was opened above, and nothing else uses it.
    unsafe { libc::close(file) };
    length
}
