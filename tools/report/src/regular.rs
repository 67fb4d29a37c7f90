//! Opens regular files by names from outside: a profile, a process's mappings, a debug link. If such a name leads to a
//! pipe or a device, opening it could block for ever, or have an effect.

use std::fs::{File, OpenOptions};
use std::io::{self, Error, ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Opens a regular file to be read. Never blocks.
///
/// # Errors
/// If it can't be opened, or is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // A regular file takes no notice of O_NONBLOCK.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(Error::new(ErrorKind::InvalidInput, "not a regular file"))
}

/// Reads a whole regular file.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
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
            assert!(read(path).is_err(), "{path:?}");
        }
        assert!(read(Path::new("/proc/self/exe")).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF")));
    }
}
