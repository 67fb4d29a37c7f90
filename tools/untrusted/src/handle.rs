//! Handles of files that are not open yet (`O_PATH`): they are checked first, and then opened through the handle
//! itself.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags, openat};

/// Opens the file of a handle. It uses the path of our own descriptor, so the file is the one that was checked.
///
/// # Errors
/// If the kernel refuses to open it.
pub(crate) fn open(handle: &OwnedFd, access: OFlags) -> io::Result<File> {
    let own = format!("/proc/self/fd/{}", handle.as_fd().as_raw_fd());
    let flags = access | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    Ok(openat(CWD, own, flags, Mode::empty())?.into())
}
