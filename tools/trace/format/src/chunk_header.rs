//! Header of a chunk, as it is recorded or packed.

use crate::columns;
use crate::header::GRAIN;

/// First word of a chunk: "ORA EVTS".
pub const CHUNK_MAGIC: u64 = u64::from_le_bytes(*b"ORA EVTS");
/// First word of a packed chunk: "ORA PCKD".
pub const PACKED_MAGIC: u64 = u64::from_le_bytes(*b"ORA PCKD");
/// Words of a chunk's header.
pub const CHUNK_WORDS: usize = 8;

/// Largest chunk as it is recorded, in bytes: a reader takes memory for a whole one. The recorder's have at most 64 KiB.
pub const MAX_CHUNK_BYTES: usize = 1 << 22;

/// Most events of a packed chunk.
pub const MOST_EVENTS: usize = 1 << 16;
/// Words of a packed chunk's header: those of a chunk's, number of events and length of their columns, length of what is compressed.
pub(crate) const PACKED_WORDS: usize = CHUNK_WORDS + 2;
/// Packed chunks begin at multiples of so many bytes of the file.
pub(crate) const PACKED_GRAIN: usize = 8;
/// Most bytes of a packed chunk: LZ4 makes nothing twice as long.
pub(crate) const MOST_BYTES: usize = PACKED_WORDS * 8 + 2 * MOST_EVENTS * columns::MOST;

/// Header in front of a chunk's events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    pub fn of(words: &[u64; CHUNK_WORDS]) -> Option<Self> {
        Self::by(words, CHUNK_MAGIC, GRAIN)
            .filter(|header| (GRAIN..=MAX_CHUNK_BYTES).contains(&(header.bytes as usize)))
    }

    /// As [`ChunkHeader::of`], of a packed chunk.
    pub(crate) fn of_packed(words: &[u64; CHUNK_WORDS]) -> Option<Self> {
        Self::by(words, PACKED_MAGIC, PACKED_GRAIN)
            .filter(|header| (PACKED_WORDS * 8..=MOST_BYTES).contains(&(header.bytes as usize)))
    }

    #[allow(clippy::cast_possible_truncation)] // halves of a word
    fn by(words: &[u64; CHUNK_WORDS], magic: u64, grain: usize) -> Option<Self> {
        let [first, lengths, number, begin, begin_ns, regions, tasks, thread] = *words;
        let (bytes, lane) = (lengths as u32, (lengths >> 32) as u32);
        let (tid, thread_kind) = (thread as u32, (thread >> 32) as u16);
        let fits = first == magic && (bytes as usize).is_multiple_of(grain);
        fits.then_some(Self { bytes, lane, number, begin, begin_ns, regions, tasks, tid, thread_kind })
    }
}

const _: () = assert!(PACKED_GRAIN == 8 && (MOST_EVENTS * columns::MOST) >> 32 == 0);
