//! Chunks of a file that is read piece by piece: the memory is that of one chunk, however long the file is.

use std::fmt;
use std::io::{self, Read};

use crate::{Chunk, Foreign, GRAIN, Header, Trace};

/// The chunks of a file that is not packed.
#[derive(Debug)]
pub struct ChunkStream<R> {
    source: R,
    buffer: Vec<u8>,
    /// The file's header.
    pub header: Header,
    /// Bytes of the header.
    pub header_bytes: [u8; GRAIN],
    /// Bytes of the file so far.
    pub bytes: u64,
}

/// Reason why a file can't be read piece by piece.
#[derive(Debug)]
pub enum StreamError {
    /// The system can't read it.
    Unreadable(io::Error),
    /// The file is something else.
    Foreign(Foreign),
}

impl fmt::Display for StreamError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => error.fmt(out),
            Self::Foreign(foreign) => foreign.fmt(out),
        }
    }
}

impl std::error::Error for StreamError {}

impl<R: Read> ChunkStream<R> {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// If it can't be read, or the bytes are no trace.
    pub fn new(mut source: R) -> Result<Self, StreamError> {
        let mut buffer = Vec::new();
        source.by_ref().take(GRAIN as u64).read_to_end(&mut buffer).map_err(StreamError::Unreadable)?;
        let header = Trace::new(&buffer).map_err(StreamError::Foreign)?.header;
        let bytes = buffer.len() as u64;
        buffer.resize(GRAIN, 0);
        let header_bytes = buffer.first_chunk().copied().unwrap_or([0; GRAIN]);
        Ok(Self { source, buffer, header, header_bytes, bytes })
    }

    /// The next chunk; `None` at the end. What is no chunk is passed over.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn next_chunk(&mut self) -> io::Result<Option<Chunk<'_>>> {
        loop {
            self.buffer.clear();
            self.read(GRAIN as u64)?;
            if self.buffer.is_empty() {
                return Ok(None);
            }
            if let Some(whole) = Chunk::raw(&self.buffer, 0).map(|chunk| u64::from(chunk.header.bytes)) {
                self.read(whole.saturating_sub(GRAIN as u64))?;
                return Ok(Chunk::raw(&self.buffer, 0));
            }
        }
    }

    fn read(&mut self, bytes: u64) -> io::Result<()> {
        let read = self.source.by_ref().take(bytes).read_to_end(&mut self.buffer)?;
        self.bytes += read as u64;
        Ok(())
    }
}
