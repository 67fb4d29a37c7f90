//! From a file to events.

use std::fmt;

use crate::chunk::{CHUNK_WORDS, ChunkHeader};
use crate::columns::Words;
use crate::layout::Layout;
use crate::packed::{PACKED_WORDS, Packed};
use crate::{Event, GRAIN, Header, PACKED_VERSION, VERSION};

/// The file is something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// The file has no events of `ora trace`.
    Other,
    /// Written by an `ora` of another version of the layout.
    Version(u64),
}

impl fmt::Display for Foreign {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other => write!(out, "not a file of `ora trace`"),
            Self::Version(theirs) => write!(
                out,
                "written by an ora whose traces have version {theirs}; this one reads versions {VERSION} and {PACKED_VERSION}: use the same ora"
            ),
        }
    }
}

impl std::error::Error for Foreign {}

/// A file of events.
#[derive(Clone, Debug)]
pub struct Trace<'a> {
    /// The file's header.
    pub header: Header,
    bytes: &'a [u8],
}

/// A chunk of a file.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The chunk's header.
    pub header: ChunkHeader,
    /// Place of the chunk in the file, in bytes.
    pub offset: usize,
    content: Content<'a>,
}

/// Events of a chunk, as the file has them.
#[derive(Clone, Copy, Debug)]
enum Content<'a> {
    Raw(&'a [[u8; 16]]),
    Packed(Packed<'a>),
}

impl<'a> Trace<'a> {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// If the bytes are no trace.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Foreign> {
        let words: Vec<u64> = words(bytes.get(..GRAIN).unwrap_or(bytes)).collect();
        let header = Header::of(&words).map_err(|theirs| match theirs {
            0 => Foreign::Other,
            theirs => Foreign::Version(theirs),
        })?;
        Ok(Self { header, bytes })
    }

    /// The chunks, in the file's order. What is no chunk is passed over. The last one may be cut off.
    pub fn chunks(&self) -> impl Iterator<Item = Chunk<'a>> {
        let (bytes, mut at, layout) = (self.bytes, GRAIN, Layout::of(&self.header));
        std::iter::from_fn(move || {
            while at < bytes.len() {
                if let Some(chunk) = layout.chunk(bytes, at) {
                    at += chunk.header.bytes as usize;
                    return Some(chunk);
                }
                at += layout.grain();
            }
            None
        })
    }
}

impl<'a> Chunk<'a> {
    /// The chunk at this place of a file; `None` if there is none. It may be cut off.
    pub(crate) fn raw(bytes: &'a [u8], offset: usize) -> Option<Self> {
        let rest = bytes.get(offset..)?;
        let header = ChunkHeader::of(&first_words(rest)?)?;
        let length = (header.bytes as usize).min(rest.len());
        let (events, _) = rest.get(CHUNK_WORDS * 8..length)?.as_chunks();
        Some(Self { header, offset, content: Content::Raw(events) })
    }

    /// The packed chunk at this place of a file; `None` if there is none, or it is cut off.
    pub(crate) fn packed(bytes: &'a [u8], offset: usize) -> Option<Self> {
        let rest = bytes.get(offset..)?;
        let words: [u64; PACKED_WORDS] = first_words(rest)?;
        let (common, lengths) = words.split_first_chunk()?;
        let header = ChunkHeader::of_packed(common)?;
        let compressed = rest.get(PACKED_WORDS * 8..header.bytes as usize)?;
        let content = Content::Packed(Packed::new(*lengths.first_chunk()?, compressed)?);
        Some(Self { header, offset, content })
    }

    /// The same, so many bytes further on in the file.
    pub(crate) fn moved_by(self, bytes: usize) -> Self {
        Self { offset: self.offset + bytes, ..self }
    }

    /// Number of events that the chunk has, also of kinds that this version doesn't know.
    pub fn count(&self) -> usize {
        match self.content {
            Content::Raw(events) => events.iter().take_while(|event| !event.starts_with(&[0; 8])).count(),
            Content::Packed(packed) => packed.count,
        }
    }

    /// The events, in the order in which they happened. A packed chunk is unpacked by each call; a damaged one has none.
    pub fn events(&self) -> Events<'a> {
        Events { rest: self.words(), begin: self.header.begin, unknown: 0 }
    }

    /// The two words of each event.
    pub(crate) fn words(&self) -> EventWords<'a> {
        match self.content {
            Content::Raw(events) => EventWords::Raw(events),
            Content::Packed(packed) => EventWords::Unpacked(packed.events().into_iter()),
        }
    }
}

/// The two words of each event of a chunk.
#[derive(Clone, Debug)]
pub(crate) enum EventWords<'a> {
    Raw(&'a [[u8; 16]]),
    Unpacked(std::vec::IntoIter<Words>),
}

impl Iterator for EventWords<'_> {
    type Item = Words;

    #[inline]
    fn next(&mut self) -> Option<Words> {
        match self {
            Self::Raw(events) => {
                let (event, rest) = events.split_first()?;
                let words = event.as_chunks().0.first_chunk::<2>()?.map(u64::from_ne_bytes);
                // Behind the first word 0 the chunk has no events.
                *events = if words[0] == 0 { &[] } else { rest };
                (words[0] != 0).then_some(words)
            }
            Self::Unpacked(events) => events.next(),
        }
    }
}

/// Events of a chunk.
#[derive(Clone, Debug)]
pub struct Events<'a> {
    rest: EventWords<'a>,
    begin: u64,
    unknown: usize,
}

impl Events<'_> {
    /// Number of events so far whose kind this version doesn't know.
    pub fn unknown(&self) -> usize {
        self.unknown
    }
}

impl Iterator for Events<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            let [head, word] = self.rest.next()?;
            match Event::of(self.begin, head, word) {
                Some(event) => return Some(event),
                None => self.unknown += 1,
            }
        }
    }
}

/// So many words from the front.
pub(crate) fn first_words<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    Some(bytes.as_chunks().0.first_chunk::<N>()?.map(u64::from_ne_bytes))
}

/// Whole words of these bytes.
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChunkStream, Clock, HEADER_WORDS, Kind, MAGIC, MOST_EVENTS, Packer, Pair, place};

    const HEADER: ChunkHeader = ChunkHeader {
        bytes: 8192,
        lane: 3,
        number: 1,
        begin: 1000,
        begin_ns: 2000,
        regions: 4,
        tasks: 5,
        tid: 6,
        thread_kind: 2,
    };

    /// Kind, operand, ticks since the chunk's begin, word.
    type Written = (Kind, u16, u64, u64);

    fn file(chunks: &[(ChunkHeader, &[Written])]) -> Vec<u8> {
        let mut words = vec![0; HEADER_WORDS];
        for (at, word) in [(place::MAGIC, MAGIC), (place::VERSION, VERSION), (place::CLOCK, 1), (place::PROCESS, 77)] {
            words[at] = word;
        }
        for (at, word) in place::BEGIN.into_iter().chain(place::END).zip([10, 20, 30, 40, 50]) {
            words[at] = word;
        }
        for (header, events) in chunks {
            let begin = words.len();
            words.extend(header.words());
            for (kind, operand, since, word) in *events {
                words.extend([Event::head(*kind, *operand, *since), *word]);
            }
            words.resize(begin + header.bytes as usize / 8, 0);
        }
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let events: &[_] = &[(Kind::ThreadBegin, 1, 0, 42), (Kind::RegionBegin, 2, 5, 0x4000)];
        let bytes = file(&[(HEADER, events), (ChunkHeader { lane: 4, ..HEADER }, &events[..1])]);
        let trace = Trace::new(&bytes).unwrap();
        assert_eq!((trace.header.clock, trace.header.process), (Clock::Counter, 77));
        assert_eq!(trace.header.begin, Pair { tick: 10, ns: 20 });
        assert_eq!(trace.header.end, Some(Pair { tick: 40, ns: 50 }));
        let chunks: Vec<_> = trace.chunks().collect();
        assert_eq!(chunks.iter().map(|chunk| chunk.header.lane).collect::<Vec<_>>(), [3, 4]);
        let read: Vec<_> = chunks[0].events().collect();
        assert_eq!(read[1], Event { tick: 1005, kind: Kind::RegionBegin, operand: 2, word: 0x4000 });
        assert_eq!((read.len(), chunks[1].events().count()), (2, 1));
    }

    #[test]
    fn holes_and_cut_ends_are_passed() {
        let full: Vec<_> = (0..506).map(|at| (Kind::WaitBegin, 0, at, at)).collect();
        let mut bytes = file(&[(HEADER, &full), (HEADER, &full)]);
        bytes[GRAIN..GRAIN + 8].fill(0);
        let trace = Trace::new(&bytes).unwrap();
        assert_eq!(trace.chunks().count(), 1, "a chunk that was never begun");
        let second = GRAIN + 8192;
        for length in [second, second + 63, second + 64, second + 64 + 16 * 7 + 15] {
            let trace = Trace::new(&bytes[..length]).unwrap();
            let events: usize = trace.chunks().map(|chunk| chunk.events().count()).sum();
            assert_eq!(events, length.saturating_sub(second + 64) / 16);
        }
    }

    /// The file, packed.
    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packer = Packer::default();
        let mut packed = Packer::file_header(bytes.first_chunk().unwrap()).to_vec();
        Trace::new(bytes).unwrap().chunks().for_each(|chunk| packed.extend(packer.pack(&chunk).unwrap()));
        packed
    }

    fn three_chunks() -> Vec<u8> {
        let event = |at: u16| (Kind::ALL[usize::from(at % 26)], at, 7 * u64::from(at), u64::from(at % 5));
        let full: Vec<_> = (0..506).map(event).collect();
        file(&[(HEADER, &full), (ChunkHeader { lane: 4, ..HEADER }, &[]), (ChunkHeader { number: 2, ..HEADER }, &full)])
    }

    #[test]
    fn packed_chunks_have_the_events_that_they_were_packed_of() {
        let raw = three_chunks();
        let packed = packed(&raw);
        assert!(packed.len() - GRAIN < (raw.len() - GRAIN) / 4, "{}", packed.len());
        let [raw, packed] = [&raw, &packed].map(|bytes| Trace::new(bytes).unwrap());
        assert_eq!(packed.header, Header { is_packed: true, ..raw.header.clone() });
        let chunks: Vec<_> = packed.chunks().zip(raw.chunks()).collect();
        assert_eq!(chunks.iter().map(|(packed, _)| packed.count()).collect::<Vec<_>>(), [506, 0, 506]);
        for (packed, raw) in chunks {
            assert!(packed.events().eq(raw.events()) && packed.count() == raw.count());
            assert_eq!(ChunkHeader { bytes: 8192, ..packed.header }, raw.header);
        }
    }

    #[test]
    fn damaged_packed_chunks_are_passed() {
        let bytes = packed(&three_chunks());
        let count = |bytes: &[u8]| Trace::new(bytes).unwrap().chunks().map(|chunk| chunk.events().count()).sum();
        let chunks: Vec<_> = Trace::new(&bytes).unwrap().chunks().map(|chunk| chunk.offset).collect();
        assert_eq!(count(&bytes), 1012_usize);
        assert_eq!(count(&bytes[..bytes.len() - 8]), 506_usize, "a cut one has no events");
        for (offset, value) in [(0, 0), (4, b'X'), (8, 1), (12, 255)] {
            let mut damaged = bytes.clone();
            damaged[chunks[0] + offset] = value;
            let left: usize = count(&damaged);
            assert!(left == 506 || offset == 12, "the others are found behind it: {offset}, {left}");
        }
        for at in GRAIN..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                assert!(count(&damaged) <= 2 * MOST_EVENTS);
            }
        }
    }

    #[test]
    fn more_events_than_the_format_allows_are_not_unpacked() {
        // As many as their bytes may have, and one more.
        for (count, bytes, is_read) in [(16 * 32_u64, 32, true), (16 * 32 + 1, 32, false), (1 << 16, 1 << 13, true)]
            .into_iter()
            .chain([((1 << 16) + 1, 1 << 13, false)])
        {
            for (length, is_read) in
                [(4 * count, is_read), (20 * count, is_read), (20 * count + 1, false), (4 * count - 1, false)]
            {
                let content = vec![0; bytes];
                assert_eq!(Packed::new([count | length << 32, 8], &content).is_some(), is_read, "{count} {length}");
            }
        }
        assert!(Packed::new([0, 9], &[0; 8]).is_none(), "more is compressed than there is");
    }

    /// Checks that a file is the same piece by piece as at once; returns the number of its chunks.
    fn streamed(bytes: &[u8]) -> usize {
        let (mut stream, mut chunks) = (ChunkStream::new(bytes).unwrap(), Vec::new());
        while let Some(chunk) = stream.next_chunk().unwrap() {
            chunks.push((chunk.offset, chunk.events().count()));
        }
        let trace = Trace::new(bytes).unwrap();
        assert_eq!((&stream.header, stream.bytes), (&trace.header, bytes.len() as u64));
        assert!(trace.chunks().map(|chunk| (chunk.offset, chunk.events().count())).eq(chunks.iter().copied()));
        chunks.len()
    }

    #[test]
    fn a_file_is_read_piece_by_piece() {
        let mut bytes = three_chunks();
        bytes[GRAIN + 8192..][..8].fill(0);
        // Longer than what is read at once, also when it is packed.
        let events: Vec<_> = (1..=16_000_u64).map(|at| (Kind::WaitBegin, 0, at, at.pow(4))).collect();
        let long = file(&[(ChunkHeader { bytes: 1 << 18, ..HEADER }, &events)]);
        bytes.extend([&long[GRAIN..], &three_chunks()[GRAIN..]].concat());
        for (cut, chunks) in [(0, 6), (GRAIN, 6), (GRAIN + 9000, 5), (3 * 8192, 3), (3 * 8192 + 100_000, 3)] {
            assert_eq!(streamed(&bytes[..bytes.len() - cut]), chunks);
        }
        let chunks = packed(&bytes).split_off(GRAIN);
        assert!(chunks.len() > 100_000, "{}", chunks.len());
        let mut bytes = [&packed(&file(&[])), &[0; 24][..], &chunks, &[7; 200_000], &chunks].concat();
        for (cut, chunks) in [(0, 12), (8, 11), (100_000, 8), (chunks.len(), 6), (chunks.len() + 200_001, 5)] {
            assert_eq!(streamed(&bytes[..bytes.len() - cut]), chunks, "{cut}");
        }
        // Headers that state more than there is, one behind the other.
        for at in (GRAIN + 24..bytes.len() - 96).step_by(96) {
            let words = ChunkHeader { bytes: 1 << 21, ..HEADER }.words().map(u64::to_ne_bytes).concat();
            bytes[at..at + 64].copy_from_slice(&words);
            bytes[at..at + 8].copy_from_slice(&crate::PACKED_MAGIC.to_ne_bytes());
        }
        assert_eq!(streamed(&bytes), 0);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let bytes = file(&[(HEADER, &[(Kind::ThreadBegin, 1, 0, 42)])]);
        for at in (0..600).chain(GRAIN..GRAIN + 100) {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                let Ok(trace) = Trace::new(&damaged) else { continue };
                trace.chunks().for_each(|chunk| _ = chunk.events().count());
            }
        }
    }

    #[test]
    fn other_files_and_other_versions_are_told_apart() {
        assert_eq!(Trace::new(b"").unwrap_err(), Foreign::Other);
        assert_eq!(Trace::new(&[b'x'; 100]).unwrap_err(), Foreign::Other);
        let mut later = file(&[]);
        later[8] = 9;
        assert_eq!(Trace::new(&later).unwrap_err(), Foreign::Version(9));
    }
}
