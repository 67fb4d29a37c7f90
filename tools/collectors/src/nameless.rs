//! Files without a name: nothing is left behind, whatever kills whom. Programs reach them as `/proc/PID/fd/N` while `ora`
//! lives.
#![allow(unsafe_code)] // asks the system

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};

/// An empty one. The word shows where the system lists open files.
///
/// # Errors
/// When the system refuses it.
pub fn create(word: &CStr) -> io::Result<File> {
    // SAFETY: a plain system call with a C string.
    let fd = unsafe { libc::memfd_create(word.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call above returned this descriptor, and nobody else owns it.
    Ok(unsafe { File::from_raw_fd(fd) })
}

/// Where other processes find it while this one has it.
pub fn path(file: &File) -> String {
    format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd())
}
