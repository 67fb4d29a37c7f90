//! Packs a process's file of events: a packed file is written next to it, and replaces it once it is complete.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Error, ErrorKind, Write};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;
use trace_format::{Chunk, GRAIN, Packer};
use untrusted::recording::Folder;

/// Name of the packed file until it is complete.
const BESIDE: &str = "events.packed";

/// A file that is being packed. If it is dropped before its end, it leaves nothing, and the recorded file stays as it is. It
/// gets its name at the end: nothing is left of it even if the command is killed.
#[derive(Debug)]
pub(super) struct PackedFile<'a> {
    folder: Folder,
    /// Name of the file that it replaces.
    name: &'a str,
    out: BufWriter<File>,
    /// True if the file has its name, which it has from the start on filesystems without unnamed files.
    is_named: bool,
    bytes: u64,
    packer: Packer,
}

impl<'a> PackedFile<'a> {
    /// Starts to pack the file at a path, which has this header.
    ///
    /// # Errors
    /// If no file can be written next to it.
    pub(super) fn begin(path: &'a Path, header: &[u8; GRAIN]) -> io::Result<Self> {
        let name = path.file_name().and_then(OsStr::to_str).ok_or(ErrorKind::InvalidInput)?;
        let folder = Folder::open(path.parent().unwrap_or(Path::new(".")))?;
        if folder.has(BESIDE) {
            // Another command is packing the file.
            return Err(Errno::EXIST.into());
        }
        let recorded = folder.file(name, OFlags::RDONLY)?;
        let (out, is_named) = match folder.create_nameless() {
            Ok(out) => (out, false),
            Err(_) => (folder.create(BESIDE)?, true),
        };
        let mut file = Self { folder, name, out: BufWriter::new(out), is_named, bytes: 0, packer: Packer::default() };
        // For a process that was attached to: its user continues to use the file.
        file.folder.adopt(file.out.get_ref(), &recorded)?;
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

    /// Replaces the other file by the packed one; returns its length.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) fn finish(mut self) -> io::Result<u64> {
        self.out.flush()?;
        if !self.is_named {
            self.folder.name(self.out.get_ref(), BESIDE)?;
            self.is_named = true;
        }
        self.folder.rename(BESIDE, self.name)?;
        self.is_named = false;
        Ok(self.bytes)
    }
}

impl Drop for PackedFile<'_> {
    fn drop(&mut self) {
        if self.is_named {
            let _ = self.folder.remove(BESIDE);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use trace_format::{ChunkHeader, ChunkStream, Event, HEADER_WORDS, Kind, MAGIC, MAX_EVENTS, Trace, VERSION, place};

    use super::*;

    /// A file with a chunk of `events` events.
    fn file(events: usize) -> Vec<u8> {
        let mut words = vec![0; HEADER_WORDS];
        (words[place::MAGIC], words[place::VERSION]) = (MAGIC, VERSION);
        let bytes = u32::try_from((64 + 16 * events).next_multiple_of(GRAIN)).unwrap();
        let header = ChunkHeader { bytes, begin_ns: 1, ..ChunkHeader::default() };
        words.extend(header.words());
        (0..events as u64).for_each(|at| words.extend([Event::head(Kind::WaitEnd, 1, at), 0x1000]));
        words.resize(HEADER_WORDS + bytes as usize / 8, 0);
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    /// Packs a file of this content; the result, the content afterwards, and the number of files in its folder.
    fn pack(content: &[u8]) -> (io::Result<u64>, Vec<u8>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        let mut stream = ChunkStream::new(content).unwrap();
        let packed = PackedFile::begin(&path, &stream.header_bytes).and_then(|mut file| {
            while let Some(chunk) = stream.next_chunk()? {
                file.add(&chunk)?;
            }
            file.finish()
        });
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        (packed, fs::read(&path).unwrap(), fs::read_dir(folder.path()).unwrap().count())
    }

    #[test]
    fn a_packed_file_takes_the_place_of_the_other_one() {
        let (packed, content, files) = pack(&file(1000));
        assert_eq!((packed.unwrap(), files), (content.len() as u64, 1));
        let trace = Trace::new(&content).unwrap();
        assert!(trace.header.is_packed);
        assert_eq!(trace.chunks().map(|chunk| chunk.events().count()).collect::<Vec<_>>(), [1000]);
    }

    #[test]
    fn where_packing_fails_the_file_stays_as_it_was() {
        let recorded = file(MAX_EVENTS + 1);
        let (packed, content, files) = pack(&recorded);
        assert!(packed.is_err() && content == recorded && files == 1);
    }

    #[test]
    fn a_file_that_another_command_packs_is_left_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        fs::write(&path, file(1)).unwrap();
        fs::write(folder.path().join("events.packed"), "its begin").unwrap();
        let refused = PackedFile::begin(&path, &[0; GRAIN]).map(drop);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(folder.path().join("events.packed")).unwrap(), b"its begin");
    }
}
