//! From a file to events.

use std::fmt;

use crate::chunk::{CHUNK_WORDS, ChunkHeader};
use crate::{Event, GRAIN, Header, VERSION};

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
                "written by an ora whose traces have version {theirs}; this one reads version {VERSION}: use the same ora"
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
    bytes: &'a [u8],
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
        let (bytes, mut at) = (self.bytes, GRAIN);
        std::iter::from_fn(move || {
            while at < bytes.len() {
                let (offset, rest) = (at, bytes.get(at..)?);
                let header = rest.get(..CHUNK_WORDS * 8).and_then(|header| {
                    let mut all = [0; CHUNK_WORDS];
                    all.iter_mut().zip(words(header)).for_each(|(place, word)| *place = word);
                    ChunkHeader::of(&all)
                });
                let Some(header) = header else {
                    at += GRAIN;
                    continue;
                };
                let length = (header.bytes as usize).min(rest.len());
                at += header.bytes as usize;
                return Some(Chunk { header, offset, bytes: rest.get(..length)? });
            }
            None
        })
    }
}

impl<'a> Chunk<'a> {
    /// The events, in the order in which they happened.
    pub fn events(&self) -> Events<'a> {
        let (rest, _) = self.bytes.get(CHUNK_WORDS * 8..).unwrap_or_default().as_chunks();
        Events { rest, begin: self.header.begin, unknown: 0 }
    }
}

/// Events of a chunk.
#[derive(Clone, Debug)]
pub struct Events<'a> {
    rest: &'a [[u8; 16]],
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
            let (both, rest) = self.rest.split_first()?;
            let (head, word) = both.split_at(8);
            let [head, word] = [head, word].map(|half| words(half).next().unwrap_or(0));
            if head == 0 {
                self.rest = &[];
                return None;
            }
            self.rest = rest;
            match Event::of(self.begin, head, word) {
                Some(event) => return Some(event),
                None => self.unknown += 1,
            }
        }
    }
}

/// Whole words of these bytes.
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clock, HEADER_WORDS, Kind, MAGIC, Pair, place};

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
