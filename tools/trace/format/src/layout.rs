//! Layout of a file's chunks: recorded or packed.

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

    /// Number of bytes of which chunks start at multiples.
    pub(crate) fn grain(self) -> usize {
        match self {
            Self::Raw => GRAIN,
            Self::Packed => PACKED_GRAIN,
        }
    }

    /// The chunk at this offset of some bytes; `None` if there is none.
    pub(crate) fn chunk(self, bytes: &[u8], offset: usize) -> Option<Chunk<'_>> {
        match self {
            Self::Raw => Chunk::raw(bytes, offset),
            Self::Packed => Chunk::packed(bytes, offset),
        }
    }

    /// Length of the chunk that starts with these bytes, from its header; `None` if they are not a header.
    pub(crate) fn stated_length(self, bytes: &[u8]) -> Option<usize> {
        let words = first_words(bytes)?;
        let header = match self {
            Self::Raw => ChunkHeader::of(&words),
            Self::Packed => ChunkHeader::of_packed(&words),
        };
        Some(header?.bytes as usize)
    }
}
