//! Events of a packed chunk: their columns, compressed.

use lz4_flex::block::decompress_into;

use crate::chunk_header::MAX_EVENTS;
use crate::columns::{self, Words};

/// Maximum number of events per compressed byte: data that compresses better is padded with zeros.
pub(crate) const DENSEST: usize = 16;

/// Events of a packed chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed<'a> {
    pub(crate) count: usize,
    /// Length of the columns.
    length: usize,
    compressed: &'a [u8],
}

impl<'a> Packed<'a> {
    /// Reads the events from the last two words of the header and the bytes after them; `None` if they are invalid.
    #[allow(clippy::cast_possible_truncation)] // halves of a word
    pub(crate) fn new([lengths, compressed]: [u64; 2], bytes: &'a [u8]) -> Option<Self> {
        let (count, length) = (lengths as u32 as usize, (lengths >> 32) as usize);
        let fits = count <= MAX_EVENTS.min(bytes.len() * DENSEST);
        let fits = fits && (columns::MIN_EVENT_BYTES * count..=columns::MAX_EVENT_BYTES * count).contains(&length);
        let compressed = bytes.get(..usize::try_from(compressed).ok()?)?;
        fits.then_some(Self { count, length, compressed })
    }

    /// Unpacks the events; none if they are damaged.
    pub(crate) fn events(&self) -> Vec<Words> {
        let mut columns = vec![0; self.length];
        match decompress_into(self.compressed, &mut columns) {
            Ok(length) if length == self.length => columns::read(&columns, self.count).unwrap_or_default(),
            _ => Vec::new(),
        }
    }
}
