//! The file that a call of the exec family refers to.
#![allow(unsafe_code)] // reads the program's PATH

use crate::image::{Fit, PATH, fit};
use crate::system::{File, may};
use std::ffi::{CStr, c_char, c_int};

/// Program that a call of the exec family names.
#[derive(Clone, Copy)]
pub(crate) enum Target<'a> {
    /// A path, relative to a folder's descriptor. The program may have passed anything, so only the kernel reads it.
    Path(c_int, *const c_char),
    /// As `Path`, but an empty path stands for the file that the descriptor refers to.
    PathOrFile(c_int, *const c_char),
    /// A name that is searched for in the folders of PATH, unless it contains a slash.
    Name(&'a CStr),
    /// An open file.
    File(c_int),
}

impl Target<'_> {
    /// Ability of the program to load libraries for this machine and glibc.
    pub(crate) fn fit(self) -> Fit {
        let file = match self {
            Self::Path(folder, path) => File::open_at(folder, path),
            Self::PathOrFile(folder, path) => File::open_at(folder, path).or_else(|| File::borrowed(folder)),
            Self::Name(name) if name.to_bytes().contains(&b'/') => File::open_at(libc::AT_FDCWD, name.as_ptr()),
            Self::Name(name) => search(name),
            Self::File(file) => File::borrowed(file),
        };
        file.map_or(Fit::Unknown, |file| fit(&file))
    }
}

/// The first executable file of that name in the folders of PATH.
fn search(name: &CStr) -> Option<File> {
    // SAFETY: a C string. Programs that change their environment concurrently with an exec have the same race in
    // glibc's own search.
    let folders: *const c_char = unsafe { libc::getenv(c"PATH".as_ptr()) };
    // SAFETY: getenv returns null or a C string.
    let folders = if folders.is_null() { c"/bin:/usr/bin" } else { unsafe { CStr::from_ptr(folders) } };
    let mut path = [0; PATH];
    folders.to_bytes().split(|byte| *byte == b':').find_map(|folder| {
        let path = join(&mut path, folder, name)?;
        may(path, libc::X_OK).then(|| File::open_at(libc::AT_FDCWD, path.as_ptr())).flatten()
    })
}

fn join<'a>(path: &'a mut [u8; PATH], folder: &[u8], name: &CStr) -> Option<&'a CStr> {
    let separator: &[u8] = if folder.is_empty() { b"" } else { b"/" };
    let mut end = 0;
    for part in [folder, separator, name.to_bytes_with_nul()] {
        path.get_mut(end..end + part.len())?.copy_from_slice(part);
        end += part.len();
    }
    CStr::from_bytes_until_nul(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::ptr;

    #[test]
    fn names_are_looked_for_in_path() {
        assert!(search(c"sh").is_some());
        assert!(search(c"no such program").is_none());
        assert_eq!(Target::Name(c"sh").fit(), Fit::Takes);
        assert_eq!(Target::Name(c"/no/such/file").fit(), Fit::Unknown);
        assert_eq!(Target::Path(libc::AT_FDCWD, c"/bin/sh".as_ptr()).fit(), Fit::Takes);
        let shell = std::fs::File::open("/bin/sh").unwrap();
        assert_eq!(Target::PathOrFile(shell.as_raw_fd(), c"".as_ptr()).fit(), Fit::Takes);
        assert_eq!(Target::Path(shell.as_raw_fd(), c"".as_ptr()).fit(), Fit::Unknown);
        assert_eq!(Target::Path(libc::AT_FDCWD, ptr::without_provenance(8)).fit(), Fit::Unknown);
    }

    #[test]
    fn what_is_too_long_is_in_no_folder() {
        let mut path = [0; PATH];
        assert_eq!(join(&mut path, b"/bin", c"sh").unwrap(), c"/bin/sh");
        assert_eq!(join(&mut path, b"", c"sh").unwrap(), c"sh");
        assert!(join(&mut path, &[b'x'; PATH], c"sh").is_none());
    }
}
