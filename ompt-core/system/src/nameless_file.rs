//! Files without a name: no file is left behind, however the processes end.
#![allow(unsafe_code)] // asks the system

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, RawFd};

/// Creates an empty one in memory, closed on exec (memfd_create(2)). The word shows where the system lists open files.
///
/// # Errors
/// If the system refuses it.
pub fn create(word: &CStr) -> io::Result<File> {
    // SAFETY: `word` is a C string, which the call only reads. The C library's function of this name came with glibc 2.27.
    let answer = unsafe { libc::syscall(libc::SYS_memfd_create, word.as_ptr(), libc::MFD_CLOEXEC) };
    let Some(fd) = RawFd::try_from(answer).ok().filter(|fd| *fd >= 0) else {
        return Err(io::Error::last_os_error());
    };
    // SAFETY: the call above returned this descriptor, and no other object owns it.
    Ok(unsafe { File::from_raw_fd(fd) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, Write};
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn it_holds_what_is_written_and_has_no_name() {
        let mut file = create(c"of-a-test").unwrap();
        file.write_all(b"text").unwrap();
        file.rewind().unwrap();
        let mut text = [0; 4];
        file.read_exact(&mut text).unwrap();
        assert_eq!(&text, b"text");
        assert_eq!(file.metadata().unwrap().nlink(), 0);
    }
}
