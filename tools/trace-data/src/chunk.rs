//! The begin of a chunk.

use crate::{CHUNK_MAGIC, GRAIN};

/// Words of a chunk's header.
pub const CHUNK_WORDS: usize = 8;

/// Header in front of a chunk's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkHeader {
    /// Length of the chunk with its header, in bytes.
    pub bytes: u32,
    /// The lane that the chunk belongs to.
    pub lane: u32,
    /// Number of the chunk in its lane, from 0.
    pub number: u64,
    /// Time of the chunk's begin, in ticks.
    pub begin: u64,
    /// The same by CLOCK_MONOTONIC, in nanoseconds.
    pub begin_ns: u64,
    /// Number of regions that the lane has begun before.
    pub regions: u64,
    /// Number of tasks that the lane has created before.
    pub tasks: u64,
    /// The kernel's number of the thread at the chunk's begin; 0: none has begun.
    pub tid: u32,
    /// Kind of that thread (`ompt_thread_t`).
    pub thread_kind: u16,
}

impl ChunkHeader {
    /// The words, of which the first is to be written last. Async-signal-safe.
    pub fn words(&self) -> [u64; CHUNK_WORDS] {
        let lengths = u64::from(self.bytes) | u64::from(self.lane) << 32;
        let thread = u64::from(self.tid) | u64::from(self.thread_kind) << 32;
        [CHUNK_MAGIC, lengths, self.number, self.begin, self.begin_ns, self.regions, self.tasks, thread]
    }

    /// The header of these words; `None` if they are none.
    #[allow(clippy::cast_possible_truncation)] // halves of a word
    pub fn of(words: &[u64; CHUNK_WORDS]) -> Option<Self> {
        let [CHUNK_MAGIC, lengths, number, begin, begin_ns, regions, tasks, thread] = *words else { return None };
        let (bytes, lane) = (lengths as u32, (lengths >> 32) as u32);
        let (tid, thread_kind) = (thread as u32, (thread >> 32) as u16);
        let fits = bytes as usize >= GRAIN && (bytes as usize).is_multiple_of(GRAIN);
        fits.then_some(Self { bytes, lane, number, begin, begin_ns, regions, tasks, tid, thread_kind })
    }
}
