//! Files without a name: none is left over, however the processes end.
#![allow(unsafe_code)] // asks the system

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};

/// Creates an empty file in memory, closed on exec (memfd_create(2)). `word` appears where the system lists open files. The file's size can
/// be sealed ([`fix_size`]).
///
/// # Errors
/// If the system refuses it.
pub fn create(word: &CStr) -> io::Result<File> {
    // SAFETY: `word` is a C string, which the call only reads. The C library's function of this name came with glibc 2.27.
    let answer =
        unsafe { libc::syscall(libc::SYS_memfd_create, word.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    let Some(fd) = RawFd::try_from(answer).ok().filter(|fd| *fd >= 0) else {
        return Err(io::Error::last_os_error());
    };
    // SAFETY: the call above returned this descriptor, and no other object owns it.
    Ok(unsafe { File::from_raw_fd(fd) })
}

/// Seals the size of such a file, so that nobody who has a descriptor of it can make its mappings invalid (SIGBUS). A kernel that can't do
/// so leaves it unsealed.
pub fn fix_size(file: &File) {
    seal(file, libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL);
}

/// Seals the size and contents of such a file, so that nobody who has a descriptor of it can change them. The file must not be mapped
/// writable. A kernel that can't do so leaves it unsealed.
pub fn fix(file: &File) {
    seal(file, libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_WRITE | libc::F_SEAL_SEAL);
}

fn seal(file: &File, seals: libc::c_int) {
    // SAFETY: F_ADD_SEALS takes a number: no memory is touched (fcntl(2)).
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) };
}

/// True if the size of such a file is sealed, so that mappings of it stay valid.
pub fn has_fixed_size(file: &File) -> bool {
    // SAFETY: F_GET_SEALS takes nothing: no memory is touched (fcntl(2)).
    let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
    let wanted = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW;
    // Without seals the answer is -1, all bits of which are set.
    seals >= 0 && seals & wanted == wanted
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

    #[test]
    fn what_is_fixed_stays() {
        let mut file = create(c"of-a-test").unwrap();
        file.write_all(b"text").unwrap();
        fix(&file);
        assert!(has_fixed_size(&file));
        file.set_len(0).unwrap_err();
        file.rewind().unwrap();
        file.write_all(b"word").unwrap_err();
        file.rewind().unwrap();
        let mut text = [0; 4];
        file.read_exact(&mut text).unwrap();
        assert_eq!(&text, b"text");
    }

    #[test]
    fn a_size_that_is_fixed_stays() {
        let file = create(c"of-a-test").unwrap();
        file.set_len(4096).unwrap();
        assert!(!has_fixed_size(&file));
        fix_size(&file);
        assert!(has_fixed_size(&file));
        file.set_len(0).unwrap_err();
        file.set_len(8192).unwrap_err();
        (&file).write_all(b"text").unwrap();
        assert!(!has_fixed_size(&File::open("/dev/null").unwrap()));
    }
}
