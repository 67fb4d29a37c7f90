//! Pieces of the file that a lane writes to.

use std::sync::atomic::AtomicU64;

use system::memory::page_size;
use trace_data::{CHUNK_WORDS, GRAIN};

use crate::file;

/// Length of a ring's chunks, in bytes.
pub(crate) const RING_BYTES: usize = 1 << 16;
/// Length of the largest chunks, in bytes.
const LARGEST: usize = 1 << 20;

/// A mapped chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    /// Its memory.
    pub(crate) base: *mut AtomicU64,
    /// Length in bytes.
    pub(crate) bytes: usize,
}

impl Chunk {
    /// Words of the chunk.
    pub(crate) fn words(&self) -> usize {
        self.bytes / 8
    }

    /// Number of events that fit.
    pub(crate) fn events(&self) -> usize {
        (self.words() - CHUNK_WORDS) / 2
    }
}

/// Length of a lane's chunk by its number: threads with few events take little room, others seldom ask for more.
fn length(number: u64) -> usize {
    let doubled = u32::try_from(number.saturating_mul(2)).unwrap_or(u32::MAX).min(8);
    (GRAIN << doubled).min(LARGEST).max(page_size())
}

/// A new chunk at the end of the file; `None` if there is no room.
pub(crate) fn fresh(number: u64, is_ring: bool) -> Option<Chunk> {
    let bytes = if is_ring { RING_BYTES.max(page_size()) } else { length(number) };
    let (_, address) = file::room(bytes)?;
    #[allow(clippy::cast_ptr_alignment)] // mappings begin at pages
    Some(Chunk { base: address.cast(), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_grow_with_their_number() {
        assert_eq!([0, 1, 2, 3, 4, 5, u64::MAX].map(length), [12, 14, 16, 18, 20, 20, 20].map(|power| 1 << power));
        assert_eq!(Chunk { base: std::ptr::null_mut(), bytes: 4096 }.events(), 252);
    }
}
