//! Content of a program, a library, or a file with debug information. Unsafe: files are mapped.
//!
//! If a mapped file is truncated, its reader is killed by SIGBUS. So a file is mapped only if nobody but root and the reader
//! itself can change it; any other file is read into memory. All copies made by a command have a common bound in bytes, which
//! counts the data in the files: holes take neither memory nor time, so a sparse file of 4 GiB costs the reader no more than its
//! author.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use memmap2::{Mmap, MmapMut};
use rustix::fs::{SeekFrom, fstatfs, seek};
use rustix::process::geteuid;

use crate::regular;

/// `FUSE_SUPER_MAGIC` (linux/magic.h): a process provides such files, including their owners.
const FUSE: i64 = 0x6573_5546;

/// Number of bytes that this command may still copy. A program with its debug information seldom has a tenth of the
/// initial value.
static LEFT: AtomicU64 = AtomicU64::new(1 << 30);
/// Number of files that were left out because of the bound.
static LEFT_OUT: AtomicUsize = AtomicUsize::new(0);
/// Maximum number of parts of a file that have data.
const MAX_PARTS: usize = 1 << 16;

/// Number of files so far that were not read because of the common bound of all copies.
pub fn left_out() -> usize {
    LEFT_OUT.load(Relaxed)
}

/// Bytes of a file.
#[derive(Debug)]
pub enum Content {
    /// Pages of a file that only root and the reader can change.
    Mapped(Mmap),
    /// A copy in private memory, where the file's holes don't take any.
    Sparse(Mmap),
    /// A copy.
    Copied(Vec<u8>),
}

impl Content {
    /// Content of a regular file of at most `limit` bytes.
    ///
    /// # Errors
    /// As [`regular::read`], and if all copies together exceed the bound of a command.
    pub fn of(path: &Path, limit: u64) -> io::Result<Self> {
        Self::within(path, limit, &LEFT)
    }

    fn within(path: &Path, limit: u64, left: &AtomicU64) -> io::Result<Self> {
        let file = regular::open(path)?;
        let size = file.metadata()?.len();
        if size == 0 || size > limit {
            return Ok(Self::Copied(regular::whole(file, limit)?));
        }
        if !is_stable(&file)? {
            return copy(&file, size, left);
        }
        // SAFETY: the file is a regular one that only root and this user can change, and they don't truncate it while it is
        // read (or kill their own command by doing so).
        Ok(Self::Mapped(unsafe { Mmap::map(&file)? }))
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(pages) | Self::Sparse(pages) => pages,
            Self::Copied(bytes) => bytes,
        }
    }
}

/// Copies the data of a file.
fn copy(file: &File, size: u64, left: &AtomicU64) -> io::Result<Content> {
    let mut pages = MmapMut::map_anon(usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?)?;
    let mut at = 0;
    for _ in 0..MAX_PARTS {
        let start = match seek(file, SeekFrom::Data(at)) {
            Ok(start) if start < size => start,
            // No more data (lseek(2)).
            Ok(_) | Err(rustix::io::Errno::NXIO) => return Ok(Content::Sparse(pages.make_read_only()?)),
            Err(error) => return Err(error.into()),
        };
        at = seek(file, SeekFrom::Hole(start))?.min(size);
        let bytes = at.checked_sub(start).filter(|bytes| *bytes > 0).ok_or(io::ErrorKind::InvalidData)?;
        if left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(bytes)).is_err() {
            LEFT_OUT.fetch_add(1, Relaxed);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "all copies of files together have a bound"));
        }
        let range = usize::try_from(start).ok().zip(usize::try_from(at).ok());
        let part = range.and_then(|(start, end)| pages.get_mut(start..end)).ok_or(io::ErrorKind::InvalidData)?;
        file.read_exact_at(part, start)?;
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "it has more holes than any program"))
}

/// True if only root and this process's user can change a file.
fn is_stable(file: &File) -> io::Result<bool> {
    const OTHERS_WRITE: u32 = 0o022;
    let about = file.metadata()?;
    let is_trusted = about.uid() == 0 || about.uid() == geteuid().as_raw();
    Ok(is_trusted && about.mode() & OTHERS_WRITE == 0 && fstatfs(file)?.f_type != FUSE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_that_others_can_change_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, b"content").unwrap();
        for (mode, is_mapped) in [(0o755, true), (0o775, false), (0o757, false)] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let content = Content::of(&path, 7).unwrap();
            assert_eq!(&*content, b"content");
            assert_eq!(matches!(content, Content::Mapped(_)), is_mapped, "{mode:o}");
        }
        assert!(Content::of(&path, 6).is_err());
    }

    #[test]
    fn copies_have_a_bound_in_all_and_holes_are_none_of_their_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let file = File::create(&path).unwrap();
        file.write_all_at(b"start", 0).unwrap();
        file.write_all_at(b"end", (1 << 32) - 3).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o777)).unwrap();
        // Two blocks of data, of at most 64 KiB each, in 4 GiB.
        let (left, before) = (AtomicU64::new(5 << 16), left_out());
        for _ in 0..2 {
            let content = Content::within(&path, 1 << 32, &left).unwrap();
            assert!(content.starts_with(b"start") && content.ends_with(b"end") && content.len() == 1 << 32);
            assert_eq!(content[1 << 20], 0);
        }
        left.store(5, Relaxed);
        assert_eq!(Content::within(&path, 1 << 32, &left).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(left_out() > before);
    }

    #[test]
    fn an_empty_file_and_one_without_a_size_have_content() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(Content::of(file.path(), 1).unwrap().is_empty());
        assert!(!Content::of(Path::new("/proc/self/status"), 1 << 16).unwrap().is_empty());
        assert!(Content::of(Path::new("/dev/zero"), 1 << 16).is_err());
    }
}
