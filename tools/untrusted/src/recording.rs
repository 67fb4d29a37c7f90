//! Recordings: a process's folder and the files in it. Both may belong to another user, whose process `ora attach` has
//! recorded, and who can replace each name by a link at any time.

use std::fs::File;
use std::io::{self, Error, ErrorKind, Read as _, Take};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawMode, SeekFrom, Stat, fchmod, fchown, fstat, linkat, openat, renameat,
    seek, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::{Gid, Uid};

use crate::{handle, regular};

/// Maximum size of a file of a recording, in bytes without holes.
pub const LARGEST: u64 = 8 << 30;
/// Maximum size of the holes in a file, in bytes beyond the size of its data: space that a recorder has reserved and
/// not used.
const LARGEST_HOLES: u64 = 64 << 20;
/// Maximum number of parts of a file that have data.
const MAX_PARTS: usize = 1 << 16;
/// Maximum number of entries of a recording's folder that are examined.
pub const MAX_PROCESSES: usize = 1 << 16;

/// Opens a file of a recording, which is read up to the end of its data. The recorder of a killed process may leave terabytes of reserved
/// space after that, which take no memory here.
///
/// # Errors
/// If it can't be read, isn't a regular file, is too large, or has holes that recorders never leave.
pub fn open(path: &Path) -> io::Result<Take<File>> {
    let file = regular::open(path)?;
    let end = data_end(&file)?;
    // Only this number of bytes is read: the file may grow meanwhile.
    seek(&file, SeekFrom::Start(0))?;
    Ok(file.take(end))
}

/// Reads a file of a recording as a whole.
///
/// # Errors
/// As for [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(file.limit()).unwrap_or(usize::MAX))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Offset of the end of a file's last data.
fn data_end(file: &File) -> io::Result<u64> {
    let (mut end, mut data) = (0, 0_u64);
    for _ in 0..MAX_PARTS {
        let begin = match seek(file, SeekFrom::Data(end)) {
            Ok(begin) => begin,
            // No more data (lseek(2)).
            Err(Errno::NXIO) => return Ok(end),
            Err(error) => return Err(error.into()),
        };
        let holes = begin.saturating_sub(data);
        if holes > LARGEST_HOLES.saturating_add(data) {
            return Err(too_large("it has holes that no recorder leaves"));
        }
        end = seek(file, SeekFrom::Hole(begin))?;
        data = data.saturating_add(end.saturating_sub(begin));
        if data > LARGEST || end <= begin {
            return Err(too_large("it has more bytes than are read of such a file"));
        }
    }
    Err(too_large("it has holes that no recorder leaves"))
}

fn too_large(why: &str) -> Error {
    Error::new(ErrorKind::FileTooLarge, why)
}

/// The folder of a process, opened once: links are followed neither to it nor in it.
#[derive(Debug)]
pub struct Folder {
    handle: OwnedFd,
    about: Stat,
}

impl Folder {
    /// Opens the folder at this path.
    ///
    /// # Errors
    /// If it doesn't exist or is a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        // With a trailing slash or a dot, a link would be followed.
        let path = path.components().as_path();
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = openat(CWD, path, flags, Mode::empty())?;
        let about = fstat(&handle)?;
        Ok(Self { handle, about })
    }

    /// The user that the folder belongs to.
    pub fn user(&self) -> u32 {
        self.about.st_uid
    }

    /// Opens a file that the folder's owner has written. It must not have another name, so that it can't be another
    /// user's file.
    ///
    /// # Errors
    /// If it doesn't exist, or is another kind of file.
    pub fn file(&self, name: &str, access: OFlags) -> io::Result<File> {
        let file = openat(&self.handle, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        let about = fstat(&file)?;
        let is_regular = FileType::from_raw_mode(about.st_mode) == FileType::RegularFile;
        if !is_regular || about.st_uid != self.about.st_uid || about.st_nlink != 1 {
            return Err(Error::new(ErrorKind::InvalidInput, "not a regular file of the folder's owner"));
        }
        handle::open(&file, access)
    }

    /// True if the name is taken, also by a dangling link.
    pub fn has(&self, name: &str) -> bool {
        statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Creates a file. The name must not be taken.
    ///
    /// # Errors
    /// If the name is taken, or the system refuses it.
    pub fn create(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.handle, name, flags, Mode::from_raw_mode(0o644))?.into())
    }

    /// Creates a file without a name.
    ///
    /// # Errors
    /// If the file system doesn't support such files, or the system refuses it.
    pub fn create_nameless(&self) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        Ok(openat(&self.handle, ".", flags, Mode::from_raw_mode(0o600))?.into())
    }

    /// Gives a file without a name this name, which must not be taken.
    ///
    /// # Errors
    /// If something has it, or the system refuses it.
    pub fn name(&self, file: &File, name: &str) -> io::Result<()> {
        // The only way to name it without a privilege (open(2), O_TMPFILE) is the path of our own descriptor.
        let own = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(linkat(CWD, own, &self.handle, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Gives a file of ours the mode of another file and, where this user may change owners, its owner.
    ///
    /// # Errors
    /// If the mode can't be changed.
    pub fn adopt(&self, file: &File, like: &File) -> io::Result<()> {
        let about = fstat(like)?;
        // Remove the bits that would let a program run with the rights of another user or group.
        let mode: RawMode = about.st_mode & 0o666;
        fchmod(file, Mode::from_raw_mode(mode))?;
        let _ = fchown(file, Some(Uid::from_raw(about.st_uid)), Some(Gid::from_raw(about.st_gid)));
        Ok(())
    }

    /// Renames a file and replaces a file that already has the new name.
    ///
    /// # Errors
    /// As for the system call.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(renameat(&self.handle, from, &self.handle, to)?)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// As for the system.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.handle, name, AtFlags::empty())?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::fs::{FileExt as _, symlink};

    use super::*;

    #[test]
    fn the_room_behind_the_data_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records");
        let file = File::create(&path).unwrap();
        file.write_all_at(b"data", 0).unwrap();
        file.write_all_at(b"more", 1 << 20).unwrap();
        file.set_len(1 << 40).unwrap();
        let bytes = read(&path).unwrap();
        assert!(bytes.starts_with(b"data") && bytes[1 << 20..].starts_with(b"more") && bytes.len() < 2 << 20);
        file.write_all_at(b"far", 1 << 30).unwrap();
        assert_eq!(read(&path).unwrap_err().kind(), ErrorKind::FileTooLarge);
        fs::write(&path, "").unwrap();
        assert_eq!(read(&path).unwrap(), b"");
    }

    #[test]
    fn links_in_and_to_a_folder_are_not_followed() {
        let scratch = tempfile::tempdir().unwrap();
        let [inside, secret, link] = ["inside", "secret", "link"].map(|name| scratch.path().join(name));
        fs::create_dir(&inside).unwrap();
        fs::write(&secret, "secret").unwrap();
        symlink(&inside, &link).unwrap();
        Folder::open(&link).unwrap_err();
        Folder::open(&link.join(".")).unwrap_err();
        symlink(&secret, inside.join("records")).unwrap();
        fs::hard_link(&secret, inside.join("hard")).unwrap();
        let folder = Folder::open(&inside).unwrap();
        folder.create("records").unwrap_err();
        for name in ["records", "hard"] {
            assert!(folder.has(name));
            folder.file(name, OFlags::RDWR).unwrap_err();
        }
        assert_eq!(fs::read(&secret).unwrap(), b"secret");
    }

    #[test]
    fn a_nameless_file_takes_the_place_of_another() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("events"), "old").unwrap();
        let folder = Folder::open(scratch.path()).unwrap();
        let old = folder.file("events", OFlags::RDONLY).unwrap();
        let mut new = folder.create_nameless().unwrap();
        new.write_all(b"new").unwrap();
        folder.adopt(&new, &old).unwrap();
        folder.name(&new, "beside").unwrap();
        folder.name(&new, "beside").unwrap_err();
        folder.rename("beside", "events").unwrap();
        assert_eq!(fs::read(scratch.path().join("events")).unwrap(), b"new");
        assert!(!folder.has("beside"));
    }
}
