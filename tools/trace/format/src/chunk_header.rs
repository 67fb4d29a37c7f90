//! Header of a chunk, as recorded or packed.

use crate::columns;
use crate::header::GRAIN;

/// First word of a chunk: "ORA EVTS".
pub const CHUNK_MAGIC: u64 = u64::from_le_bytes(*b"ORA EVTS");
/// First word of a packed chunk: "ORA PCKD".
pub const PACKED_MAGIC: u64 = u64::from_le_bytes(*b"ORA PCKD");
/// Number of words of a chunk's header.
pub const CHUNK_WORDS: usize = 8;

/// Maximum size of a chunk as recorded, in bytes: a reader allocates memory for a whole one. Those of the recorder
/// have at most 64 KiB.
pub const MAX_CHUNK_BYTES: usize = 1 << 22;

/// Maximum number of events of a packed chunk.
pub const MAX_EVENTS: usize = 1 << 16;
/// Number of words of a packed chunk's header: those of a chunk's, number of events and length of their columns,
/// length of the compressed part.
pub(crate) const PACKED_WORDS: usize = CHUNK_WORDS + 2;
/// Packed chunks start at multiples of this number of bytes.
pub(crate) const PACKED_GRAIN: usize = 8;
/// Maximum number of bytes of a packed chunk: LZ4 never doubles the length.
pub(crate) const MAX_BYTES: usize = PACKED_WORDS * 8 + 2 * MAX_EVENTS * columns::MAX_EVENT_BYTES;

/// Header before a chunk's events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkHeader {
    /// Length of the chunk with its header, in bytes.
    pub bytes: u32,
    /// The lane that the chunk belongs to.
    pub lane: u32,
    /// Number of the chunk in its lane, from 0.
    pub number: u64,
    /// Time of the chunk's start, in ticks.
    pub begin: u64,
    /// Time of the chunk's start by CLOCK_MONOTONIC, in nanoseconds.
    pub begin_ns: u64,
    /// Number of regions that the lane has started before.
    pub regions: u64,
    /// Number of tasks that the lane has created before.
    pub tasks: u64,
    /// The kernel's number of the thread at the chunk's start; 0 if none has started.
    pub tid: u32,
    /// Kind of that thread (`ompt_thread_t`).
    pub thread_kind: u16,
}

impl ChunkHeader {
    /// The words, the first of which has to be written last. Async-signal-safe.
    pub fn words(&self) -> [u64; CHUNK_WORDS] {
        let lengths = u64::from(self.bytes) | u64::from(self.lane) << 32;
        let thread = u64::from(self.tid) | u64::from(self.thread_kind) << 32;
        [CHUNK_MAGIC, lengths, self.number, self.begin, self.begin_ns, self.regions, self.tasks, thread]
    }

    /// The header of these words; `None` if they are not a header.
    pub fn of(words: &[u64; CHUNK_WORDS]) -> Option<Self> {
        Self::by(words, CHUNK_MAGIC, GRAIN)
            .filter(|header| (GRAIN..=MAX_CHUNK_BYTES).contains(&(header.bytes as usize)))
    }

    /// Like [`ChunkHeader::of`], for a packed chunk.
    pub(crate) fn of_packed(words: &[u64; CHUNK_WORDS]) -> Option<Self> {
        Self::by(words, PACKED_MAGIC, PACKED_GRAIN)
            .filter(|header| (PACKED_WORDS * 8..=MAX_BYTES).contains(&(header.bytes as usize)))
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

const _: () = assert!(PACKED_GRAIN == 8 && (MAX_EVENTS * columns::MAX_EVENT_BYTES) >> 32 == 0);
