//! Files of events, written as the recorder does. A tick is a nanosecond.

use trace_analysis::{Timeline, of_events};
use trace_format::{ChunkHeader, Event, HEADER_WORDS, Kind, MAGIC, VERSION, place};

/// Kind, operand, time, word.
pub(crate) type Written = (Kind, u16, u64, u64);

/// Id of a region or task of a lane.
pub(crate) use trace_format::id;

/// The timeline of the lanes' events.
pub(crate) fn timeline(lanes: &[&[Written]]) -> Timeline {
    let chunks: Vec<_> = lanes.iter().map(|events| (0, *events)).collect();
    of_events(&file(&chunks)).unwrap()
}

/// The timeline of a process that was already running at `begin`, when the recording started.
pub(crate) fn attached_at(begin: u64, lanes: &[&[Written]]) -> Timeline {
    with_header(&[(place::BEGIN[0], begin), (place::BEGIN[1], begin), (place::ATTACHED, 1)], lanes)
}

/// The timeline of the lanes' events, in a file whose header has these words.
pub(crate) fn with_header(words: &[(usize, u64)], lanes: &[&[Written]]) -> Timeline {
    let chunks: Vec<_> = lanes.iter().map(|events| (0, *events)).collect();
    let mut bytes = file(&chunks);
    for (at, word) in words {
        let at = *at;
        bytes[8 * at..8 * at + 8].copy_from_slice(&word.to_ne_bytes());
    }
    of_events(&bytes).unwrap()
}

/// A file with one chunk per lane, with the chunk's number in its lane.
pub(crate) fn file(chunks: &[(u64, &[Written])]) -> Vec<u8> {
    let mut words = vec![0; HEADER_WORDS];
    for (at, word) in [(place::MAGIC, MAGIC), (place::VERSION, VERSION), (place::BEGIN[1], 0)] {
        words[at] = word;
    }
    for (lane, (number, events)) in (0..).zip(chunks) {
        words.extend(chunk(lane, *number, events));
    }
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// The words of a chunk.
pub(crate) fn chunk(lane: u32, number: u64, events: &[Written]) -> Vec<u64> {
    let bytes = u32::try_from((64 + 16 * events.len()).next_multiple_of(4096)).unwrap();
    let header = ChunkHeader { bytes, lane, number, begin_ns: 1, ..ChunkHeader::default() };
    let mut words = header.words().to_vec();
    for (kind, operand, at, word) in events {
        words.extend([Event::head(*kind, *operand, *at), *word]);
    }
    words.resize(bytes as usize / 8, 0);
    words
}

/// A region of two threads with a barrier, a critical section that the second thread waits for, and a task that it executes
/// in the last barrier. The second thread reaches the first barrier late.
pub(crate) fn two_threads() -> Timeline {
    use Kind::*;
    let (region, task) = (id(0, 1), id(0, 1));
    let first: &[Written] = &[
        (ThreadBegin, 1, 10, 100),
        (RegionBegin, 2, 1_000, 0x40),
        (ImplicitBegin, 0, 2_000, region),
        (WaitBegin, 3, 3_000, 0x50),
        (WaitEnd, 3, 50_000, 0x50),
        (MutexAcquire, 5, 51_000, 0x60),
        (MutexAcquired, 5, 51_100, 7),
        (MutexReleased, 5, 70_000, 7),
        (TaskCreate, 0, 71_000, 0x70),
        (WaitBegin, 9, 72_000, 0x40),
        (WaitEnd, 9, 99_000, 0x40),
        (ImplicitEnd, 0, 99_500, 0),
        (RegionEnd, 0, 99_900, region),
        (ThreadEnd, 0, 100_000, 0),
    ];
    let second: &[Written] = &[
        (ThreadBegin, 2, 1_500, 101),
        (ImplicitBegin, 1, 2_500, region),
        (WaitBegin, 3, 49_000, 0x50),
        (WaitEnd, 3, 50_000, 0x50),
        (MutexAcquire, 5, 52_000, 0x60),
        (MutexAcquired, 5, 70_100, 7),
        (MutexReleased, 5, 80_000, 7),
        (WaitBegin, 9, 81_000, 0x40),
        (TaskSchedule, 7, 82_000, task),
        (TaskSchedule, 1, 92_000, 0),
        (WaitEnd, 9, 99_000, 0x40),
        (ImplicitEnd, 1, 99_100, 0),
        (ThreadEnd, 0, 99_950, 0),
    ];
    timeline(&[first, second])
}
