//! Content of a program, a library, or a file with debug information. Unsafe: files are mapped.
//!
//! A mapped file that is cut off ends its reader by SIGBUS. So a file is mapped only if nobody but root and the reader itself
//! can change it; another one is read into memory.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use memmap2::Mmap;
use rustix::fs::fstatfs;
use rustix::process::geteuid;

use crate::regular;

/// `FUSE_SUPER_MAGIC` (linux/magic.h): a process answers for such files, their owners included.
const FUSE: i64 = 0x6573_5546;

/// Bytes of a file.
#[derive(Debug)]
pub enum Content {
    /// Pages of a file that only root and the reader can change.
    Mapped(Mmap),
    /// A copy.
    Copied(Vec<u8>),
}

impl Content {
    /// Content of a regular file of at most `limit` bytes.
    ///
    /// # Errors
    /// As [`regular::read`].
    pub fn of(path: &Path, limit: u64) -> io::Result<Self> {
        let file = regular::open(path)?;
        let size = file.metadata()?.len();
        if size == 0 || size > limit || !is_stable(&file)? {
            return Ok(Self::Copied(regular::whole(file, limit)?));
        }
        // SAFETY: the file is a regular one that only root and this user can change, and they don't cut it off while it is read
        // (or end their own command by that).
        Ok(Self::Mapped(unsafe { Mmap::map(&file)? }))
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(pages) => pages,
            Self::Copied(bytes) => bytes,
        }
    }
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
    fn an_empty_file_and_one_without_a_size_have_content() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(Content::of(file.path(), 1).unwrap().is_empty());
        assert!(!Content::of(Path::new("/proc/self/status"), 1 << 16).unwrap().is_empty());
        assert!(Content::of(Path::new("/dev/zero"), 1 << 16).is_err());
    }
}
