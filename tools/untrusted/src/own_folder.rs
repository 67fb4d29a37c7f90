//! A folder of ours in a place where others may be able to exchange names: another user's working directory, or a directory that everybody
//! may write to. It is opened once; its content is created, read and removed through that descriptor.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Error, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, fstat, mkdirat, openat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

/// Maximum number of entries of a folder that is removed.
const MAX_ENTRIES: usize = 100_000;
/// Write permission of all others.
const OTHERS_WRITE: u32 = 0o002;

/// The folder.
#[derive(Debug)]
pub struct OwnFolder {
    folder: OwnedFd,
}

impl OwnFolder {
    /// Opens a folder that the user has named. Links are followed, as with any file that a program is asked to write.
    ///
    /// # Errors
    /// If the folder doesn't exist.
    pub fn named(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { folder: openat(CWD, path, flags, Mode::empty())? })
    }

    /// Opens a folder by a well-known name, which others may have created before.
    ///
    /// # Errors
    /// If it is a link, belongs to another user, or everybody may write to it.
    pub fn usual(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = openat(CWD, path, flags, Mode::empty())?;
        let about = fstat(&folder)?;
        if about.st_uid != geteuid().as_raw() || about.st_mode & OTHERS_WRITE != 0 {
            return Err(Error::new(
                ErrorKind::PermissionDenied,
                "the folder is another user's, or everybody may write to it",
            ));
        }
        Ok(Self { folder })
    }

    /// Creates a subfolder that nobody else may read.
    ///
    /// # Errors
    /// If the name is taken, isn't a plain name, or the folder can't be created.
    pub fn make(&self, name: &OsStr) -> io::Result<Self> {
        if !is_name(name) {
            return Err(ErrorKind::InvalidFilename.into());
        }
        mkdirat(&self.folder, name, Mode::RWXU)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self { folder: openat(&self.folder, name, flags, Mode::empty())? })
    }

    /// Creates a file in the folder. The name must not be taken.
    ///
    /// # Errors
    /// As [`Self::make`].
    pub fn file(&self, name: &OsStr) -> io::Result<File> {
        if !is_name(name) {
            return Err(ErrorKind::InvalidFilename.into());
        }
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.folder, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Removes a subfolder with its files. If it contains folders, these and the subfolder itself remain.
    ///
    /// # Errors
    /// If something can't be removed.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        if !is_name(name) {
            return Err(ErrorKind::InvalidFilename.into());
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let inner = openat(&self.folder, name, flags, Mode::empty())?;
        for entry in Dir::read_from(&inner)?.take(MAX_ENTRIES) {
            let entry = entry?;
            if is_name(OsStr::from_bytes(entry.file_name().to_bytes())) {
                match unlinkat(&inner, entry.file_name(), AtFlags::empty()) {
                    Err(Errno::ISDIR | Errno::PERM) => {}
                    answer => answer?,
                }
            }
        }
        Ok(unlinkat(&self.folder, name, AtFlags::REMOVEDIR)?)
    }
}

impl AsFd for OwnFolder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

/// True for a single component of a path that leads to an entry.
pub(crate) fn is_name(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    !matches!(bytes, b"" | b"." | b"..") && !bytes.contains(&b'/') && !bytes.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_usual_folder_is_neither_a_link_nor_open_to_everybody() {
        let place = tempfile::tempdir().unwrap();
        let [real, link] = ["real", "link"].map(|name| place.path().join(name));
        fs::create_dir(&real).unwrap();
        symlink(&real, &link).unwrap();
        OwnFolder::usual(&real).unwrap();
        OwnFolder::usual(&link).unwrap_err();
        OwnFolder::named(&link).unwrap();
        fs::set_permissions(&real, Permissions::from_mode(0o777)).unwrap();
        OwnFolder::usual(&real).unwrap_err();
        if geteuid().is_root() {
            OwnFolder::usual(Path::new("/tmp")).unwrap_err();
        }
    }

    #[test]
    fn a_folder_that_was_renamed_stays_the_one_that_was_opened() {
        let place = tempfile::tempdir().unwrap();
        let [ours, moved, other] = ["ours", "moved", "other"].map(|name| place.path().join(name));
        fs::create_dir(&ours).unwrap();
        fs::create_dir_all(other.join("pid-1")).unwrap();
        fs::write(other.join("pid-1/precious"), "content").unwrap();
        let folder = OwnFolder::named(&ours).unwrap();
        let made = folder.make(OsStr::new("pid-1")).unwrap();
        fs::rename(&ours, &moved).unwrap();
        symlink(&other, &ours).unwrap();
        made.file(OsStr::new("events")).unwrap();
        assert!(moved.join("pid-1/events").exists());
        folder.remove(OsStr::new("pid-1")).unwrap();
        assert!(!moved.join("pid-1").exists());
        assert_eq!(fs::read(other.join("pid-1/precious")).unwrap(), b"content");
    }

    #[test]
    fn what_is_made_is_for_nobody_else_and_more_than_a_name_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let folder = OwnFolder::named(place.path()).unwrap();
        folder.make(OsStr::new("pid-1")).unwrap().file(OsStr::new("events")).unwrap();
        let mode = |name: &str| place.path().join(name).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!([mode("pid-1"), mode("pid-1/events")], [0o700, 0o600]);
        for name in ["", ".", "..", "a/b", "/etc"] {
            assert!(folder.make(OsStr::new(name)).is_err() && folder.file(OsStr::new(name)).is_err(), "{name}");
            folder.remove(OsStr::new(name)).unwrap_err();
        }
    }
}
