//! System calls, made directly because glibc's functions of these names are cancellation points. Unsafe: they are C.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_long};

/// A file that is open for reading. It is closed when dropped, unless it belongs to the program.
pub(crate) struct File {
    file: c_int,
    owned: bool,
}

impl File {
    /// Opens a file relative to a folder's descriptor. `None` on failure, which includes a path that can't be read.
    pub(crate) fn open_at(folder: c_int, path: *const c_char) -> Option<Self> {
        let flags = libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK | libc::O_NOCTTY;
        // SAFETY: only the kernel reads the path, and it answers EFAULT if it can't (open(2)).
        let file = unsafe { libc::syscall(libc::SYS_openat, folder, path, flags, 0) };
        c_int::try_from(file).ok().filter(|file| *file >= 0).map(|file| Self { file, owned: true })
    }

    /// A descriptor that belongs to the program and stays open.
    pub(crate) fn borrowed(file: c_int) -> Option<Self> {
        (file >= 0).then_some(Self { file, owned: false })
    }

    /// Reads from this offset. Returns the number of bytes read, 0 on failure.
    pub(crate) fn read_at(&self, place: u64, to: &mut [u8]) -> usize {
        let Ok(place) = c_long::try_from(place) else { return 0 };
        // SAFETY: the kernel writes at most that many bytes to the slice.
        let read = unsafe { libc::syscall(libc::SYS_pread64, self.file, to.as_mut_ptr(), to.len(), place) };
        usize::try_from(read).unwrap_or(0)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: `open_at` opened this descriptor (`owned`), and it is closed once (close(2)).
            unsafe { libc::syscall(libc::SYS_close, self.file) };
        }
    }
}

/// True if the process may use the file in this way (`R_OK`, `X_OK`).
pub(crate) fn may(path: &CStr, mode: c_int) -> bool {
    // SAFETY: the path is a C string that lives during the call.
    let answer = unsafe { libc::syscall(libc::SYS_faccessat, libc::AT_FDCWD, path.as_ptr(), mode) };
    answer == 0
}

/// Calls `work` and restores `errno` afterwards.
pub(crate) fn keeping_errno<R>(work: impl FnOnce() -> R) -> R {
    // SAFETY: the calling thread's errno, which exists as long as the thread.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: errno's place may be read by its thread, which is this one (errno(3)).
    let errno = unsafe { *place };
    let result = work();
    // SAFETY: errno's place may be written by its thread, which is this one (errno(3)).
    unsafe { *place = errno };
    result
}
