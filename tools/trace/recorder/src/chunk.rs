//! Pieces of the file that a lane writes to.

use std::sync::atomic::AtomicU64;

use system::memory::page_size;
use trace_format::{CHUNK_WORDS, GRAIN};

use crate::{batch, file};

/// Length of the chunks of a lane with many events, in bytes: what a processor's cache keeps.
const WINDOW: usize = 1 << 16;

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

/// Length of a lane's chunk by its number: threads with few events take little space.
fn length(number: u64, is_ring: bool) -> usize {
    let wanted = match number {
        _ if is_ring => WINDOW,
        0 => GRAIN,
        1 => 4 * GRAIN,
        _ => WINDOW,
    };
    wanted.max(page_size())
}

/// A new chunk at the end of the file, with this number in a lane; `None` if the space is exhausted.
pub(crate) fn fresh(lane: u32, number: u64, is_ring: bool) -> Option<Chunk> {
    let bytes = length(number, is_ring);
    let address = if number == 0 && !is_ring { batch::take(lane, bytes) } else { file::room(bytes) }?;
    #[allow(clippy::cast_ptr_alignment)] // mappings start at page boundaries
    Some(Chunk { base: address.cast(), bytes })
}

/// Forgets the space that was taken for the chunks of further lanes.
pub(crate) fn drop_rest() {
    batch::drop_rest(length(0, false));
}

/// True if a lane's further chunks are copies of this one: its memory is reused. Mapping new pages of a file takes longer
/// than copying some.
pub(crate) fn is_window(number: u64) -> bool {
    number >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_grow_up_to_the_window() {
        assert_eq!([0, 1, 2, u64::MAX].map(|number| length(number, false)), [1 << 12, 1 << 14, 1 << 16, 1 << 16]);
        assert_eq!(length(0, true), 1 << 16);
        assert_eq!(Chunk { base: std::ptr::null_mut(), bytes: 4096 }.events(), 252);
    }
}
