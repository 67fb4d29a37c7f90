//! Copies of a process's recordings, written by `ora` to a folder of its own.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Error, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::Helper;
use super::wire::{Entry, MAX_BYTES};
use crate::own_folder::OwnFolder;
use crate::recording::LARGEST;

/// Maximum number of bytes of holes. The recorders leave some mebibytes where a thread has reserved more than it has
/// used.
const MAX_HOLES: u64 = 1 << 30;

/// Bounds on what is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Number of files and folders.
    pub entries: usize,
    /// Content of all files, in bytes, without their holes.
    pub bytes: u64,
    /// Holes of all files, in bytes. A reader that doesn't skip them takes a second for several gigabytes.
    pub holes: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { entries: 10_000, bytes: LARGEST, holes: MAX_HOLES }
    }
}

impl Helper {
    /// Copies the wanted subfolders of the folder, with their regular files, to a folder of ours. Links, pipes and devices are left out,
    /// and so are deeper folders and everything that belongs to another user.
    ///
    /// # Errors
    /// If a file can't be read or written, already exists, or exceeds a bound. Some files may already have been
    /// copied then.
    pub fn fetch(&mut self, to: &OwnFolder, mut bounds: Bounds, wanted: impl Fn(&OsStr) -> bool) -> io::Result<()> {
        let wanted = |entry: &Entry| entry.is_folder && wanted(entry.name.as_os_str());
        for entry in self.list(Path::new(""))?.into_iter().filter(wanted) {
            take(&mut bounds.entries, 1)?;
            let copy = to.make(entry.name.as_os_str())?;
            self.fetch_files(&entry.name, &copy, &mut bounds, &mut |_| true)?;
        }
        Ok(())
    }

    /// Copies the wanted regular files of a folder beneath the folder to a folder of ours.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub fn fetch_files(
        &mut self,
        from: &Path,
        to: &OwnFolder,
        bounds: &mut Bounds,
        wanted: &mut impl FnMut(&OsStr) -> bool,
    ) -> io::Result<()> {
        for entry in self.list(from)?.into_iter().filter(|entry| !entry.is_folder) {
            if wanted(entry.name.as_os_str()) {
                take(&mut bounds.entries, 1)?;
                let size = self.open(&from.join(&entry.name))?.size;
                let copy = to.file(entry.name.as_os_str())?;
                self.copy(&copy, size, bounds)?;
            }
        }
        Ok(())
    }

    /// Copies the open file, whose size is given; it may have grown meanwhile. Holes remain holes.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub fn copy(&mut self, to: &File, size: u64, bounds: &mut Bounds) -> io::Result<()> {
        let end = self.copy_rest(to, 0, bounds)?;
        if let Some(hole) = size.checked_sub(end) {
            bounds.holes = bounds.holes.checked_sub(hole).ok_or_else(too_large)?;
            to.set_len(size)?;
        }
        Ok(())
    }

    /// Copies the open file from an offset on. A hole at its end is left out. Returns the end of the copy.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub fn copy_rest(&mut self, to: &File, mut offset: u64, bounds: &mut Bounds) -> io::Result<u64> {
        let mut block = vec![0; MAX_BYTES];
        while let Some(part) = self.data(offset)? {
            bounds.holes = bounds.holes.checked_sub(part.start - offset).ok_or_else(too_large)?;
            offset = part.start;
            while offset < part.end {
                let room = block.len().min(usize::try_from(part.end - offset).unwrap_or(usize::MAX));
                let read = self.read_at(block.get_mut(..room).unwrap_or_default(), offset)?;
                let content = block.get(..read).unwrap_or_default();
                if read == 0 {
                    // The file has become shorter.
                    return Ok(offset);
                }
                bounds.bytes = bounds.bytes.checked_sub(read as u64).ok_or_else(too_large)?;
                to.write_all_at(content, offset)?;
                offset = offset.saturating_add(read as u64);
            }
        }
        Ok(offset)
    }
}

fn take(left: &mut usize, number: usize) -> io::Result<()> {
    *left = left
        .checked_sub(number)
        .ok_or_else(|| Error::new(ErrorKind::FileTooLarge, "the process has too many files"))?;
    Ok(())
}

fn too_large() -> Error {
    Error::new(ErrorKind::FileTooLarge, "the process's files are larger than a recording can be")
}
