//! Chunks of a file that is read piece by piece: it needs the memory of one chunk, regardless of the file's length.

use std::io::{self, Read};

use crate::chunk::Chunk;
use crate::chunk_header::PACKED_WORDS;
use crate::header::{GRAIN, Header};
use crate::layout::Layout;
use crate::read::{Foreign, Trace};

/// Number of bytes that are read beyond those that are needed: in a damaged file the next few are needed soon.
const AHEAD: usize = 1 << 16;

/// The chunks of a file, packed or not.
#[derive(Debug)]
pub struct ChunkStream<R> {
    source: R,
    buffer: Vec<u8>,
    /// Position in the buffer of what comes next.
    at: usize,
    /// True if the buffer contains the file's end.
    is_over: bool,
    /// The file's header.
    pub header: Header,
    /// Bytes of the header.
    pub header_bytes: [u8; GRAIN],
    /// Bytes of the file that were read so far; at its end its length.
    pub bytes: u64,
}

/// Reason why a file can't be read piece by piece.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The system can't read it.
    #[error(transparent)]
    Unreadable(io::Error),
    /// The file is something else.
    #[error(transparent)]
    Foreign(Foreign),
}

impl<R: Read> ChunkStream<R> {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// If it can't be read, or the bytes are not a trace.
    pub fn new(mut source: R) -> Result<Self, StreamError> {
        let mut buffer = Vec::new();
        source.by_ref().take(GRAIN as u64).read_to_end(&mut buffer).map_err(StreamError::Unreadable)?;
        let header = Trace::new(&buffer).map_err(StreamError::Foreign)?.header;
        let bytes = buffer.len() as u64;
        buffer.resize(GRAIN, 0);
        let header_bytes = buffer.first_chunk().copied().unwrap_or([0; GRAIN]);
        Ok(Self { source, buffer: Vec::new(), at: 0, is_over: false, header, header_bytes, bytes })
    }

    /// The next chunk; `None` at the end. Anything else is skipped.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn next_chunk(&mut self) -> io::Result<Option<Chunk<'_>>> {
        let layout = Layout::of(&self.header);
        loop {
            self.fill(layout.grain().max(PACKED_WORDS * 8))?;
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            if rest.is_empty() {
                return Ok(None);
            }
            self.fill(layout.stated_length(rest).unwrap_or(0))?;
            let begin = self.at;
            let length = layout.chunk(&self.buffer, begin).map(|chunk| chunk.header.bytes as usize);
            self.at = (begin + length.unwrap_or(layout.grain())).min(self.buffer.len());
            if length.is_some() {
                let in_file = usize::try_from(self.bytes).unwrap_or(usize::MAX) - self.buffer.len();
                let chunk = layout.chunk(&self.buffer, begin);
                return Ok(chunk.map(|chunk| chunk.moved_by(in_file)));
            }
        }
    }

    /// Reads until the buffer has this number of bytes from `at` on, or the file ends.
    fn fill(&mut self, bytes: usize) -> io::Result<()> {
        if self.is_over || self.buffer.len() - self.at >= bytes {
            return Ok(());
        }
        self.buffer.drain(..self.at);
        self.at = 0;
        let missing = bytes + AHEAD - self.buffer.len();
        let read = self.source.by_ref().take(missing as u64).read_to_end(&mut self.buffer)?;
        self.bytes += read as u64;
        self.is_over = read < missing;
        Ok(())
    }
}
