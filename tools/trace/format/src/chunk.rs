//! A chunk of a file, and its events.

use crate::chunk_header::{CHUNK_WORDS, ChunkHeader, PACKED_WORDS};
use crate::columns::Words;
use crate::event::Event;
use crate::packed::Packed;

/// A chunk of a file.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The chunk's header.
    pub header: ChunkHeader,
    /// Offset of the chunk in the file, in bytes.
    pub offset: usize,
    content: Content<'a>,
}

/// Events of a chunk, as stored in the file.
#[derive(Clone, Copy, Debug)]
enum Content<'a> {
    Raw(&'a [[u8; 16]]),
    Packed(Packed<'a>),
}

impl<'a> Chunk<'a> {
    /// The chunk at this offset of a file; `None` if there is none. It may be truncated.
    pub(crate) fn raw(bytes: &'a [u8], offset: usize) -> Option<Self> {
        let rest = bytes.get(offset..)?;
        let header = ChunkHeader::of(&first_words(rest)?)?;
        let length = (header.bytes as usize).min(rest.len());
        let (events, _) = rest.get(CHUNK_WORDS * 8..length)?.as_chunks();
        Some(Self { header, offset, content: Content::Raw(events) })
    }

    /// The packed chunk at this offset of a file; `None` if there is none, or it is truncated.
    pub(crate) fn packed(bytes: &'a [u8], offset: usize) -> Option<Self> {
        let rest = bytes.get(offset..)?;
        let words: [u64; PACKED_WORDS] = first_words(rest)?;
        let (common, lengths) = words.split_first_chunk()?;
        let header = ChunkHeader::of_packed(common)?;
        let compressed = rest.get(PACKED_WORDS * 8..header.bytes as usize)?;
        let content = Content::Packed(Packed::new(*lengths.first_chunk()?, compressed)?);
        Some(Self { header, offset, content })
    }

    /// The same chunk, `bytes` bytes further on in the file.
    pub(crate) fn moved_by(self, bytes: usize) -> Self {
        Self { offset: self.offset + bytes, ..self }
    }

    /// Number of events in the chunk, including kinds unknown to this version.
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
                // The chunk's events end at the first word 0.
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
    /// Number of events so far whose kind is unknown to this version.
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

/// The first `N` words.
pub(crate) fn first_words<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    Some(bytes.as_chunks().0.first_chunk::<N>()?.map(u64::from_ne_bytes))
}
