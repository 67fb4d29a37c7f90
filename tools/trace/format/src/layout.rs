//! Layout of a file's chunks: as they are recorded, or packed.

use crate::chunk::{Chunk, first_words};
use crate::chunk_header::{ChunkHeader, PACKED_GRAIN};
use crate::header::{GRAIN, Header};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Layout {
    Raw,
    Packed,
}

impl Layout {
    pub(crate) fn of(header: &Header) -> Self {
        if header.is_packed { Self::Packed } else { Self::Raw }
    }

    /// Number of bytes: chunks begin at multiples of it.
    pub(crate) fn grain(self) -> usize {
        match self {
            Self::Raw => GRAIN,
            Self::Packed => PACKED_GRAIN,
        }
    }

    /// The chunk at this place of some bytes; `None` if there is none.
    pub(crate) fn chunk(self, bytes: &[u8], offset: usize) -> Option<Chunk<'_>> {
        match self {
            Self::Raw => Chunk::raw(bytes, offset),
            Self::Packed => Chunk::packed(bytes, offset),
        }
    }

    /// Length of the chunk that begins with these bytes, by its header; `None` if they are no header.
    pub(crate) fn stated_length(self, bytes: &[u8]) -> Option<usize> {
        let words = first_words(bytes)?;
        let header = match self {
            Self::Raw => ChunkHeader::of(&words),
            Self::Packed => ChunkHeader::of_packed(&words),
        };
        Some(header?.bytes as usize)
    }
}
