//! From a file to records.

use std::io::{self, Read};

use crate::record::{Cut, Frames, Moment, Object, Record, Sample};
use crate::write::kind;
use crate::{MAGIC, OLDEST_VERSION, VERSION, WORDS};

/// The records of a file, in its order.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    damaged: usize,
}

/// The file is something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Foreign {
    /// The file is not a profile.
    #[error("not a file of `ora profile`")]
    Other,
    /// Written by an `ora` of another version of the layout.
    #[error(
        "written by an ora whose files have version {0}; this one reads versions {OLDEST_VERSION} to {VERSION}: use the same ora"
    )]
    Version(u64),
}

impl<'a> Reader<'a> {
    /// # Errors
    /// If the bytes are not a profile.
    pub fn new(bytes: &'a [u8]) -> Result<Self, Foreign> {
        let mut reader = Self { rest: bytes, damaged: 0 };
        match reader.next() {
            Some(Record::Begin { version: OLDEST_VERSION..=VERSION }) => Ok(reader),
            Some(Record::Begin { version }) => Err(Foreign::Version(version)),
            _ => Err(Foreign::Other),
        }
    }

    /// The next record that starts more than `margin` bytes before the end.
    fn next_within(&mut self, margin: usize) -> Option<Record<'a>> {
        while self.rest.len() > margin {
            let (head, behind) = self.rest.split_first_chunk::<8>()?;
            let head = u64::from_ne_bytes(*head);
            let words = usize::try_from(head >> 32).unwrap_or(usize::MAX);
            let body =
                words.checked_sub(1).filter(|_| words <= WORDS).and_then(|words| behind.split_at_checked(words * 8));
            let record = body.and_then(|(body, after)| Some((record(head & 0xffff_ffff, body)?, after)));
            match record {
                Some((record, after)) => {
                    self.rest = after;
                    return Some(record);
                }
                None => {
                    self.damaged += usize::from(head != 0);
                    self.rest = behind;
                }
            }
        }
        None
    }

    /// Number of words so far that did not belong to a record, apart from zeros: a writer was stopped there.
    pub fn damaged(&self) -> usize {
        self.damaged
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        self.next_within(0)
    }
}

/// Length of the pieces in which a file is read, in bytes.
const PIECE: usize = 1 << 20;
/// Maximum length of a record in bytes.
const MAX_RECORD: usize = 8 * WORDS;

/// Reads a file piece by piece, and calls `take` with each of its records. Returns [`Reader::damaged`] of the whole file.
///
/// # Errors
/// If it can't be read, or is not a profile.
pub fn each_record(file: &mut impl Read, mut take: impl FnMut(Record<'_>)) -> io::Result<Result<usize, Foreign>> {
    let mut piece = Vec::with_capacity(PIECE);
    let (mut is_first, mut damaged) = (true, 0);
    loop {
        let missing = PIECE - piece.len();
        let is_last = file.by_ref().take(missing as u64).read_to_end(&mut piece)? < missing;
        let mut reader = Reader { rest: &piece, damaged };
        if std::mem::take(&mut is_first) {
            match Reader::new(&piece) {
                Ok(first) => reader = first,
                Err(foreign) => return Ok(Err(foreign)),
            }
        }
        // What may be the start of a longer record is read again, with what follows.
        while let Some(record) = reader.next_within(if is_last { 0 } else { MAX_RECORD }) {
            take(record);
        }
        damaged = reader.damaged;
        if is_last {
            return Ok(Ok(damaged));
        }
        let done = piece.len() - reader.rest.len();
        piece.drain(..done);
    }
}

/// Takes words off the front.
struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    fn one(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_ne_bytes(*word))
    }

    /// The two halves of a word.
    #[allow(clippy::cast_possible_truncation)] // halves
    fn pair(&mut self) -> Option<(u32, u32)> {
        self.one().map(|word| (word as u32, (word >> 32) as u32))
    }

    fn text(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let (first, second) = self.pair()?;
        let (first, rest) = self.0.split_at_checked(first as usize)?;
        let (second, rest) = rest.split_at_checked(second as usize)?;
        (rest.len() < 8).then_some((first, second))
    }
}

fn record(number: u64, body: &[u8]) -> Option<Record<'_>> {
    let mut words = Words(body);
    let record = match number {
        kind::BEGIN => {
            if words.one()? != MAGIC {
                return None;
            }
            Record::Begin { version: words.one()? }
        }
        kind::INFO => {
            let (key, value) = words.text()?;
            return Some(Record::Info { key, value });
        }
        kind::OBJECT => {
            let [start, end, bias, since_ns] = [words.one()?, words.one()?, words.one()?, words.one()?];
            let (build_id, path) = words.text()?;
            return Some(Record::Object(Object { start, end, bias, since_ns, build_id, path }));
        }
        kind::THREAD => {
            let (thread, tid) = words.pair()?;
            Record::Thread { thread, tid, begun_ns: words.one()?, routine: words.one().unwrap_or(0) }
        }
        kind::STACK => {
            let (id, cut) = words.pair()?;
            let cut = Cut::of(u16::try_from(cut).ok()?);
            return Some(Record::Stack { id, cut, frames: Frames::Bytes(words.0) });
        }
        kind::REGION => {
            let (id, parent) = (words.one()?, words.one()?);
            let (stack, thread) = words.pair()?;
            Record::Region { id, parent, stack, thread }
        }
        kind::SAMPLE => {
            let ((thread, state), (stack, moment)) = (words.pair()?, words.pair()?);
            let [at_ns, wall_ns, cpu_ns] = [words.one()?, words.one()?, words.one()?];
            let [wait, region] = [words.one()?, words.one()?];
            let moment = Moment::of(moment);
            Record::Sample(Sample { thread, moment, state, stack, at_ns, wall_ns, cpu_ns, wait, region })
        }
        kind::THREAD_END => {
            let (thread, _) = words.pair()?;
            let [ended_ns, wall_ns, cpu_ns] = [words.one()?, words.one()?, words.one()?];
            let [asked, delivered, lost] = [words.one()?, words.one()?, words.one()?];
            Record::ThreadEnd { thread, ended_ns, wall_ns, cpu_ns, asked, delivered, lost }
        }
        kind::THREAD_READY => {
            let (thread, _) = words.pair()?;
            Record::ThreadReady { thread, ready_ns: words.one()? }
        }
        kind::THREAD_LATE => {
            let (thread, _) = words.pair()?;
            Record::ThreadLate { thread, in_kernel_ns: words.one()?, blocked_ns: words.one()? }
        }
        kind::END => Record::End { ended_ns: words.one()? },
        _ => return None,
    };
    words.0.is_empty().then_some(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::Writable;

    const SAMPLE: Sample = Sample {
        thread: 3,
        moment: Moment::WaitEnd,
        state: 5,
        stack: 9,
        at_ns: 10,
        wall_ns: 11,
        cpu_ns: 12,
        wait: 13,
        region: 14,
    };
    #[test]
    fn a_file_that_is_read_in_pieces_has_the_same_records() {
        let mut file = crate::simulated::Simulated::new();
        let mut random = 1_u64;
        // Records of all lengths, and words that are none, also at the ends of pieces.
        while file.bytes.len() < 3 * PIECE {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match (random >> 40) % 50 {
                0 => file.bytes.extend(random.to_ne_bytes()),
                1 => file.bytes.extend([0; 64]),
                2 => drop(file.stack(&vec![random; (random >> 50) as usize % 4000])),
                _ => file.add(Record::Sample(Sample { at_ns: random, ..SAMPLE })),
            }
        }
        for cut in [0, 3, 8, 60, PIECE, 2 * PIECE - 5] {
            let bytes = &file.bytes[..file.bytes.len() - cut];
            let mut reader = Reader::new(bytes).unwrap();
            let wanted: Vec<String> = reader.by_ref().map(|record| format!("{record:?}")).collect();
            let mut found = Vec::new();
            let damaged = each_record(&mut &bytes[..], |record| found.push(format!("{record:?}"))).unwrap();
            assert_eq!(damaged, Ok(reader.damaged()));
            assert!(found == wanted, "{} and {}", found.len(), wanted.len());
        }
        assert_eq!(each_record(&mut &b"something else"[..], |_| ()).unwrap(), Err(Foreign::Other));
    }

    const OBJECT: Object =
        Object { start: 1, end: 2, bias: 3, since_ns: 4, build_id: b"0123456789", path: b"/lib/libgomp.so.1" };

    fn all() -> Vec<Record<'static>> {
        vec![
            Record::Begin { version: VERSION },
            Record::Info { key: b"command", value: b"./a\0--b\0" },
            Record::Info { key: b"", value: b"" },
            Record::Object(OBJECT),
            Record::Thread { thread: 1, tid: 2, begun_ns: 3, routine: 4 },
            Record::Stack { id: 1, cut: Cut::Unreadable, frames: Frames::Words(&[7, 8, 9]) },
            Record::Stack { id: 2, cut: Cut::Whole, frames: Frames::Words(&[]) },
            Record::Region { id: 1 << 40, parent: 2, stack: 3, thread: 4 },
            Record::Sample(SAMPLE),
            Record::ThreadEnd { thread: 1, ended_ns: 2, wall_ns: 3, cpu_ns: 4, asked: 5, delivered: 6, lost: 7 },
            Record::ThreadReady { thread: 1, ready_ns: 8 },
            Record::ThreadLate { thread: 1, in_kernel_ns: 9, blocked_ns: 10 },
            Record::End { ended_ns: 99 },
        ]
    }

    fn bytes(records: &[Record]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for record in records {
            let record = Writable::new(*record).unwrap();
            let begin = bytes.len();
            bytes.extend(record.head().to_ne_bytes());
            record.body(&mut |word| bytes.extend(word.to_ne_bytes()));
            assert_eq!(bytes.len() - begin, record.words() * 8);
        }
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = bytes(&all());
        let mut reader = Reader::new(&bytes).unwrap();
        assert_eq!(reader.by_ref().collect::<Vec<_>>(), all()[1..]);
        assert_eq!(reader.damaged(), 0);
    }

    #[test]
    fn holes_are_passed_and_what_is_cut_off_is_not_read() {
        let [first, second] = [&all()[..5], &all()[5..]].map(bytes);
        let whole = [&first[..], &[0; 64], &second].concat();
        assert_eq!(Reader::new(&whole).unwrap().count(), all().len() - 1);
        for missing in 1..16 {
            let cut = &whole[..whole.len() - missing];
            assert_eq!(Reader::new(cut).unwrap().count(), all().len() - 2, "{missing} bytes are missing");
        }
    }

    #[test]
    fn a_record_that_was_begun_only_is_passed() {
        let all = all();
        let mut hole = bytes(&all[8..9]);
        hole[..8].fill(0);
        let whole = [bytes(&all[..8]), hole, bytes(&all[9..])].concat();
        let mut reader = Reader::new(&whole).unwrap();
        assert_eq!(reader.by_ref().collect::<Vec<_>>(), [&all[1..8], &all[9..]].concat());
        assert!(reader.damaged() > 0);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let whole = bytes(&all());
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                let _ = Reader::new(&damaged).map(Iterator::count);
            }
        }
    }

    #[test]
    fn other_files_and_other_versions_are_told_apart() {
        assert_eq!(Reader::new(b"").unwrap_err(), Foreign::Other);
        assert_eq!(Reader::new(&[b'x'; 100]).unwrap_err(), Foreign::Other);
        let later = bytes(&[Record::Begin { version: VERSION + 1 }]);
        assert_eq!(Reader::new(&later).unwrap_err(), Foreign::Version(VERSION + 1));
    }

    #[test]
    fn what_is_too_long_is_refused() {
        assert!(Writable::new(Record::Stack { id: 1, cut: Cut::Deep, frames: Frames::Words(&[1; WORDS]) }).is_none());
        assert!(
            Writable::new(Record::Stack { id: 1, cut: Cut::Deep, frames: Frames::Words(&[1; WORDS - 2]) }).is_some()
        );
    }
}
