//! Regular files by names from outside: a profile, a process's mappings, or a debug link. Opening a pipe or a device by such a
//! name could block forever, or have an effect.

use std::fs::File;
use std::io::{self, Error, ErrorKind, Read as _};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};

use crate::handle;

/// Maximum size of a program or library that is read as a whole, in bytes.
pub const LARGEST_CODE: u64 = 4 << 30;

/// Opens a regular file for reading. Pipes and devices are never opened.
///
/// # Errors
/// If it can't be opened, or is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let file = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    if FileType::from_raw_mode(fstat(&file)?.st_mode) != FileType::RegularFile {
        return Err(Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    handle::open(&file, OFlags::RDONLY)
}

/// Opens a regular file of at most `limit` bytes, which is read in parts.
///
/// # Errors
/// As [`open`], and if the file is larger.
pub fn open_up_to(path: &Path, limit: u64) -> io::Result<File> {
    let file = open(path)?;
    if file.metadata()?.len() > limit { Err(too_large(limit)) } else { Ok(file) }
}

/// Reads a whole regular file of at most `limit` bytes.
///
/// # Errors
/// As [`open`], and if the file is larger.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    whole(open(path)?, limit)
}

/// Reads the content of an open file, if that is at most `limit` bytes.
pub(crate) fn whole(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    // The size is only what the file claims: a sparse file is rejected before memory is allocated for it.
    if size <= limit {
        bytes.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX))?;
        // The file may grow meanwhile, and files in /proc claim a size of 0.
        file.take(limit + 1).read_to_end(&mut bytes)?;
    }
    if size > limit || bytes.len() as u64 > limit {
        return Err(too_large(limit));
    }
    Ok(bytes)
}

fn too_large(limit: u64) -> Error {
    let message = format!("it has more than the {limit} bytes that are read of such a file");
    Error::new(ErrorKind::FileTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn pipes_devices_and_folders_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [&pipe, Path::new("/dev/zero"), Path::new("/dev/tty"), Path::new("/")] {
            assert!(read(path, 1 << 20).is_err(), "{path:?}");
        }
        assert!(read(Path::new("/proc/self/exe"), 1 << 30).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF")));
    }

    #[test]
    fn a_file_beyond_the_limit_is_refused_before_memory_is_taken_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        File::create(&path).unwrap().set_len(3 << 30).unwrap();
        assert_eq!(read(&path, 1 << 20).unwrap_err().kind(), ErrorKind::FileTooLarge);
        std::fs::write(&path, b"four").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"four");
        assert!(read(&path, 3).is_err());
    }
}
