//! Files without a name: no file is left over, even if a process is killed. Programs reach them through an inherited descriptor, even
//! in another PID namespace or as another user; those that have closed it, as `/proc/PID/fd/N` while `ora` is alive.
#![allow(unsafe_code)] // asks the system

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};

/// Lowest number of our descriptors, if the limit allows it, so that those that a program opens have the same numbers
/// as without `ora`.
const HIGH: RawFd = 900;

/// An empty file. The word appears where the system lists open files.
///
/// # Errors
/// If the system refuses it.
pub fn create(word: &CStr) -> io::Result<File> {
    Ok(high(system::nameless_file::create(word)?))
}

/// An empty file of a size that can't be changed, even by the programs that inherit it.
///
/// # Errors
/// If the system refuses it.
pub fn create_fixed(word: &CStr, bytes: u64) -> io::Result<File> {
    let file = create(word)?;
    file.set_len(bytes)?;
    system::nameless_file::fix_size(&file);
    Ok(file)
}

/// Makes the content of such a file read-only for the programs that inherit it.
pub fn fix(file: &File) {
    system::nameless_file::fix(file);
}

/// Checks that another process's file can be mapped: its size is fixed, and is at least `bytes`.
///
/// # Errors
/// If it is something else.
pub fn check_fixed(file: &File, bytes: u64) -> io::Result<()> {
    let fits = system::nameless_file::has_fixed_size(file) && file.metadata()?.len() >= bytes;
    if fits { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// The same file under a descriptor outside the program's usual range, if the limit allows it.
pub fn high(low: File) -> File {
    // SAFETY: F_DUPFD_CLOEXEC takes a number: no memory is touched (fcntl(2)).
    let high = unsafe { libc::fcntl(low.as_raw_fd(), libc::F_DUPFD_CLOEXEC, HIGH) };
    // SAFETY: `fcntl` returned this new descriptor, and nobody else owns it; dropping `low` closes the low one.
    if high < 0 { low } else { unsafe { File::from_raw_fd(high) } }
}

/// Lets a program that the calling process executes inherit the descriptor, if its number is outside the program's usual range. To
/// be called between fork and exec.
pub fn pass_on(file: &File) {
    if file.as_raw_fd() >= HIGH {
        // SAFETY: F_SETFD takes a number: no memory is touched (fcntl(2)).
        unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, 0) };
    }
}

/// The inherited descriptor of a file with such a path; `None` if it has been closed, and the number may refer to
/// another file.
pub fn inherited(path: &CStr) -> Option<RawFd> {
    let number = path.to_bytes().rsplit(|byte| *byte == b'/').next()?;
    let fd: RawFd = str::from_utf8(number).ok()?.parse().ok().filter(|fd| *fd >= HIGH)?;
    // SAFETY: all zero is a valid `stat`.
    let mut about: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: `about` is writable.
    let known = unsafe { libc::fstat(fd, &raw mut about) } == 0;
    // Only memory files can be sealed, and ours do not have names.
    // SAFETY: F_GET_SEALS takes nothing: no memory is touched (fcntl(2)).
    let sealable = unsafe { libc::fcntl(fd, libc::F_GET_SEALS) } >= 0;
    (known && sealable && about.st_nlink == 0).then_some(fd)
}

/// Path by which other processes open the file while this process has it open.
pub fn path(file: &File) -> String {
    format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd())
}
