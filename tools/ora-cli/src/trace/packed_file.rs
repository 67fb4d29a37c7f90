//! Packs a process's file of events: a packed one is written beside it, and takes its place when it is whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Error, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::{Path, PathBuf};

use trace_data::{Chunk, GRAIN, Packer};

/// A file that is being packed. Dropped before its end it leaves nothing, and the file as it was recorded stays.
#[derive(Debug)]
pub(super) struct PackedFile<'a> {
    path: &'a Path,
    beside: PathBuf,
    out: BufWriter<File>,
    bytes: u64,
    packer: Packer,
}

impl<'a> PackedFile<'a> {
    /// Begins to pack the file at a path, which has this header.
    ///
    /// # Errors
    /// If no file can be written beside it.
    pub(super) fn begin(path: &'a Path, header: &[u8; GRAIN]) -> io::Result<Self> {
        let about = path.metadata()?;
        let beside = path.with_extension("packed");
        let out = OpenOptions::new().write(true).create_new(true).open(&beside)?;
        let mut file = Self { path, beside, out: BufWriter::new(out), bytes: 0, packer: Packer::default() };
        let out = file.out.get_ref();
        out.set_permissions(about.permissions())?;
        // Of a process that was attached to: its user goes on with the file. Nobody else may give files away.
        let _ = fchown(out, Some(about.uid()), Some(about.gid()));
        file.out.write_all(&Packer::file_header(header))?;
        file.bytes += GRAIN as u64;
        Ok(file)
    }

    /// Packs the next chunk.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn add(&mut self, chunk: &Chunk<'_>) -> io::Result<()> {
        let packed = self.packer.pack(chunk).ok_or_else(|| Error::from(ErrorKind::InvalidData))?;
        self.bytes += packed.len() as u64;
        self.out.write_all(packed)
    }

    /// Has the packed file take the place of the other one; returns its length.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn finish(mut self) -> io::Result<u64> {
        self.out.flush()?;
        fs::rename(&self.beside, self.path)?;
        Ok(self.bytes)
    }
}

impl Drop for PackedFile<'_> {
    fn drop(&mut self) {
        // Not there any more where it has taken the other one's place.
        let _ = fs::remove_file(&self.beside);
    }
}
