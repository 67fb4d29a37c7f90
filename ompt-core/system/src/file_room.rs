//! Disk space for a file: writing to a mapping that has none ends the program by a signal. Async-signal-safe.
#![allow(unsafe_code)] // asks the system

use std::ffi::c_int;
use std::os::fd::RawFd;

use crate::errno;

/// Allocates room on the disk for bytes at an offset of an open file, so that writing to a mapping of them never fails.
///
/// # Errors
/// The error number: EFBIG beyond the limit on files, ENOSPC on a full disk.
pub fn take(file: RawFd, offset: u64, bytes: u64) -> Result<(), c_int> {
    // Past the limit the system would send a signal.
    if offset.saturating_add(bytes) > limit() {
        return Err(libc::EFBIG);
    }
    let (from, length) = (offset.cast_signed(), bytes.cast_signed());
    // SAFETY: fallocate(2) takes only numbers: no memory is touched.
    if unsafe { libc::syscall(libc::SYS_fallocate, file, 0, from, length) } == 0 {
        return Ok(());
    }
    match error() {
        libc::EOPNOTSUPP => fill(file, offset, bytes),
        error => Err(error),
    }
}

/// Largest size in bytes to which the process may grow a file (`ulimit -f`).
pub fn limit() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `limit` may be written (getrlimit(2)).
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    limit.rlim_cur
}

/// Writes zeros, for file systems that can't allocate.
fn fill(file: RawFd, offset: u64, bytes: u64) -> Result<(), c_int> {
    static ZEROS: [u8; 1 << 12] = [0; 1 << 12];
    let mut at = offset;
    while at < offset + bytes {
        // SAFETY: the kernel reads the bytes of `ZEROS` (pwrite(2)).
        let put = unsafe { libc::syscall(libc::SYS_pwrite64, file, ZEROS.as_ptr(), ZEROS.len(), at.cast_signed()) };
        match u64::try_from(put) {
            Ok(put @ 1..) => at += put,
            _ => return Err(error()),
        }
    }
    Ok(())
}

fn error() -> c_int {
    // SAFETY: the address of the calling thread's errno, which is there as long as the thread is (errno(3)).
    unsafe { *errno::location() }
}
