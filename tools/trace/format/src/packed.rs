//! A packed chunk: its header, and the compressed columns of its events.

use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};

use crate::columns::{self, Words};
use crate::{CHUNK_WORDS, Chunk, ChunkHeader, GRAIN, PACKED_MAGIC, PACKED_VERSION, place};

/// Most events of a packed chunk.
pub const MOST_EVENTS: usize = 1 << 16;
/// Words of a packed chunk's header: those of a chunk's, number of events and length of their columns, length of what is compressed.
pub(crate) const PACKED_WORDS: usize = CHUNK_WORDS + 2;
/// Packed chunks begin at multiples of so many bytes of the file.
pub(crate) const PACKED_GRAIN: usize = 8;
/// Most bytes of a packed chunk: LZ4 makes nothing twice as long.
pub(crate) const MOST_BYTES: usize = PACKED_WORDS * 8 + 2 * MOST_EVENTS * columns::MOST;
/// Most events of a compressed byte: what compresses better is filled up with zeros.
const DENSEST: usize = 16;

/// Events of a packed chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed<'a> {
    pub(crate) count: usize,
    /// Length of the columns.
    length: usize,
    compressed: &'a [u8],
}

impl<'a> Packed<'a> {
    /// The events by the last two words of the header, and the bytes behind that; `None` if they can't be.
    #[allow(clippy::cast_possible_truncation)] // halves of a word
    pub(crate) fn new([lengths, compressed]: [u64; 2], bytes: &'a [u8]) -> Option<Self> {
        let (count, length) = (lengths as u32 as usize, (lengths >> 32) as usize);
        let fits = count <= MOST_EVENTS.min(bytes.len() * DENSEST);
        let fits = fits && (columns::LEAST * count..=columns::MOST * count).contains(&length);
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

/// Packs chunks one after the other.
#[derive(Debug, Default)]
pub struct Packer {
    events: Vec<Words>,
    columns: Vec<u8>,
    packed: Vec<u8>,
}

impl Packer {
    /// Header of a packed file, by that of the file that is packed.
    pub fn file_header(header: &[u8; GRAIN]) -> [u8; GRAIN] {
        let mut packed = *header;
        if let Some(version) = packed.as_chunks_mut::<8>().0.get_mut(place::VERSION) {
            *version = PACKED_VERSION.to_ne_bytes();
        }
        packed
    }

    /// Bytes of a packed chunk with the events of this one; `None` if it has more than [`MOST_EVENTS`], which no recorder writes.
    pub fn pack(&mut self, chunk: &Chunk<'_>) -> Option<&[u8]> {
        self.events.clear();
        self.events.extend(chunk.words());
        if self.events.len() > MOST_EVENTS {
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

const _: () = assert!(PACKED_GRAIN == 8 && (MOST_EVENTS * columns::MOST) >> 32 == 0);
