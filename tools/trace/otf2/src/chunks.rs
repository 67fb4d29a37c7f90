//! Files of chunks: each chunk has a fixed length, and a header with the numbers of its events.
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "the user of `ora` has named them on the command line")
)]

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Length of the chunks of events and of definitions, in bytes.
pub(crate) const EVENTS: usize = 1 << 20;
pub(crate) const DEFINITIONS: usize = 1 << 24;

/// Kinds that are not records.
pub(crate) const END_OF_BUFFER: u8 = 1;
pub(crate) const END_OF_FILE: u8 = 2;
pub(crate) const HEADER: u8 = 3;
pub(crate) const TIME: u8 = 5;
/// Numbers have the lowest byte first.
pub(crate) const LITTLE_ENDIAN: u8 = 0x42;
/// Places of the last event's number in a header.
const LAST: std::ops::Range<usize> = 10..18;

/// A file under construction.
#[derive(Debug)]
pub(crate) struct Chunks {
    to: BufWriter<File>,
    length: usize,
    chunk: Vec<u8>,
    /// Number of events so far.
    events: u64,
    /// Time of the last record; `None` before the first.
    time: Option<u64>,
}

impl Chunks {
    /// Creates a file with chunks of this length.
    pub(crate) fn create(path: &Path, length: usize) -> io::Result<Self> {
        let to = BufWriter::new(File::create(path)?);
        let mut chunks = Self { to, length, chunk: Vec::with_capacity(length), events: 0, time: None };
        chunks.begin();
        Ok(chunks)
    }

    fn begin(&mut self) {
        self.chunk.clear();
        self.chunk.extend([HEADER, LITTLE_ENDIAN]);
        self.chunk.extend((self.events + 1).to_le_bytes());
        self.chunk.extend([0; 8]);
    }

    /// Writes a record without a time.
    pub(crate) fn define(&mut self, record: &[u8]) -> io::Result<()> {
        self.room(record.len())?;
        self.chunk.extend(record);
        Ok(())
    }

    /// Writes an event.
    pub(crate) fn event(&mut self, time: u64, record: &[u8]) -> io::Result<()> {
        if self.time.is_some_and(|last| time < last) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "an event is earlier than the one before"));
        }
        if self.room(record.len() + 9)? || self.time != Some(time) {
            self.chunk.push(TIME);
            self.chunk.extend(time.to_le_bytes());
            self.time = Some(time);
        }
        self.chunk.extend(record);
        self.events += 1;
        Ok(())
    }

    /// Moves on to the next chunk if this number of bytes, and the file's end, do not fit into the current one.
    /// Returns true if it did.
    fn room(&mut self, bytes: usize) -> io::Result<bool> {
        if self.chunk.len() + bytes + 2 <= self.length {
            return Ok(false);
        }
        self.chunk.resize(self.length, 0);
        self.put()?;
        self.begin();
        Ok(true)
    }

    fn put(&mut self) -> io::Result<()> {
        if let Some(last) = self.chunk.get_mut(LAST) {
            last.copy_from_slice(&self.events.to_le_bytes());
        }
        self.to.write_all(&self.chunk)
    }

    /// Ends the file, and returns the number of its events.
    pub(crate) fn finish(mut self) -> io::Result<u64> {
        self.chunk.extend([END_OF_FILE, END_OF_BUFFER]);
        self.put()?;
        self.to.flush()?;
        Ok(self.events)
    }
}
