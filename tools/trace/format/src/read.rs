//! From a file to chunks.

use crate::chunk::Chunk;
use crate::header::{GRAIN, Header, PACKED_VERSION, VERSION};
use crate::layout::Layout;

/// The file is something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Foreign {
    /// The file does not contain events of `ora trace`.
    #[error("not a file of `ora trace`")]
    Other,
    /// Written by an `ora` of another version of the layout.
    #[error(
        "written by an ora whose traces have version {0}; this one reads versions {VERSION} and {PACKED_VERSION}: use the same ora"
    )]
    Version(u64),
}

/// A file of events.
#[derive(Clone, Debug)]
pub struct Trace<'a> {
    /// The file's header.
    pub header: Header,
    bytes: &'a [u8],
}

impl<'a> Trace<'a> {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// If the bytes are not a trace.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Foreign> {
        let words: Vec<u64> = words(bytes.get(..GRAIN).unwrap_or(bytes)).collect();
        let header = Header::of(&words).map_err(|theirs| match theirs {
            0 => Foreign::Other,
            theirs => Foreign::Version(theirs),
        })?;
        Ok(Self { header, bytes })
    }

    /// The chunks, in the file's order. Anything else is skipped. The last chunk may be truncated.
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

/// Whole words of these bytes.
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::Packed;
    use crate::{ChunkHeader, ChunkStream, Clock, Event, HEADER_WORDS, Kind, MAGIC, MAX_EVENTS, Packer, Pair, place};

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

    /// Kind, operand, ticks since the chunk's start, word.
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
                assert!(count(&damaged) <= 2 * MAX_EVENTS);
            }
        }
    }

    #[test]
    fn more_events_than_the_format_allows_are_not_unpacked() {
        // As many as their bytes can represent, and one more.
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

    /// Checks that a file has the same content when it is read piece by piece as when it is read whole; returns the
    /// number of its chunks.
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
        // Longer than one read, even when it is packed.
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
        // Headers that state more than there is, one after the other.
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
