//! Packs the chunks of a file.

use lz4_flex::block::{compress_into, get_maximum_output_size};

use crate::chunk::Chunk;
use crate::chunk_header::{ChunkHeader, MAX_EVENTS, PACKED_GRAIN, PACKED_MAGIC, PACKED_WORDS};
use crate::columns::{self, Words};
use crate::header::{GRAIN, PACKED_VERSION, place};
use crate::packed::DENSEST;

/// Packs chunks one after the other.
#[derive(Debug, Default)]
pub struct Packer {
    events: Vec<Words>,
    columns: Vec<u8>,
    packed: Vec<u8>,
}

impl Packer {
    /// Header of a packed file, from that of the file that is packed.
    pub fn file_header(header: &[u8; GRAIN]) -> [u8; GRAIN] {
        let mut packed = *header;
        if let Some(version) = packed.as_chunks_mut::<8>().0.get_mut(place::VERSION) {
            *version = PACKED_VERSION.to_ne_bytes();
        }
        packed
    }

    /// Bytes of a packed chunk with the events of this one; `None` if it has more than [`MAX_EVENTS`], which no recorder writes.
    pub fn pack(&mut self, chunk: &Chunk<'_>) -> Option<&[u8]> {
        self.events.clear();
        self.events.extend(chunk.words());
        if self.events.len() > MAX_EVENTS {
            return None;
        }
        self.columns.clear();
        columns::write(&self.events, &mut self.columns);
        let begin = PACKED_WORDS * 8;
        self.packed.clear();
        self.packed.resize(begin + get_maximum_output_size(self.columns.len()), 0);
        let length = compress_into(&self.columns, self.packed.get_mut(begin..)?).ok()?;
        self.packed.truncate(begin + length);
        let filled = length.max(self.events.len().div_ceil(DENSEST)).next_multiple_of(PACKED_GRAIN);
        self.packed.resize(begin + filled, 0);
        let bytes = u32::try_from(self.packed.len()).ok()?;
        let header = ChunkHeader { bytes, ..chunk.header };
        let lengths = self.events.len() as u64 | (self.columns.len() as u64) << 32;
        let words = header.words().into_iter().skip(1);
        let words = [PACKED_MAGIC].into_iter().chain(words).chain([lengths, length as u64]);
        self.packed.as_chunks_mut::<8>().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_ne_bytes());
        Some(&self.packed)
    }
}
