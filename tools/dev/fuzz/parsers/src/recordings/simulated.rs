//! Small recordings of programs that never ran.

use profile_format::simulated::Simulated;
use profile_format::{Moment, Record};
use trace_format::{ChunkHeader, Event, GRAIN, HEADER_WORDS, Kind, MAGIC, VERSION, id, place};

use super::Recording;

/// First words of the line for code that the program generated: 256 bytes, starting at [`MADE`].
pub(super) const MADE_AT: &[u8] = b"2328 100 ";
/// Address of that code.
const MADE: u64 = 0x2328;

/// A profile, and a trace with samples.
pub fn recordings() -> Vec<Recording> {
    let records = profile();
    let made = [MADE_AT, b"made"].concat();
    vec![
        Recording { records: records.clone(), events: None, made: made.clone() },
        Recording { records, events: Some(events()), made },
    ]
}

/// Nested regions of two threads that work and wait.
fn profile() -> Vec<u8> {
    let mut file = Simulated::new();
    for (thread, begun_ns) in [(0, 1000), (1, 2000)] {
        file.add(Record::Thread { thread, tid: 4711 + thread, begun_ns, routine: 1300 });
    }
    file.region(1, 0, 0, &[4100, 3100, 1200, 1100, 5300, 1900]);
    file.region(2, 1, 1, &[4100, 3100, 1500, 1300, 2100, 5100]);
    let works = file.stack(&[MADE + 8, 1400, 1300, 2100, 3100, 1200, 1100, 5300, 1900]);
    let waits = file.stack(&[2200, 2100, 5100]);
    let inner = file.stack(&[1600, 2100, 3100, 1500, 1300, 2100, 5100]);
    // The states are work, serial, barriers, a lock, and idle.
    for (region, state, stack) in [(1, 1, works), (0, 2, works), (1, 5, waits), (2, 7, inner), (0, 6, waits)] {
        for thread in 0..2 {
            file.sample(thread, region, state, stack);
            file.time((thread, region), state, stack, Moment::WaitEnd, (3, 1));
        }
    }
    for thread in 0..2 {
        file.add(Record::ThreadReady { thread, ready_ns: 500 });
        file.add(Record::ThreadEnd {
            thread,
            ended_ns: 900_000,
            wall_ns: 7,
            cpu_ns: 7,
            asked: 9,
            delivered: 8,
            lost: 1,
        });
    }
    file.add(Record::End { ended_ns: 1_000_000 });
    file.bytes
}

/// Two threads with a region, barriers, a critical section, tasks and dependences.
fn events() -> Vec<u8> {
    use Kind::*;
    let (region, task, next) = (id(0, 1), id(0, 1), id(0, 2));
    let first = [
        (ThreadBegin, 1, 10, 4711),
        (RegionBegin, 2, 1_000, 1200),
        (ImplicitBegin, 0, 2_000, region),
        (WorkBegin, 1, 2_100, MADE + 10),
        (WorkEnd, 1, 2_900, 1210),
        (WaitBegin, 3, 3_000, 1220),
        (WaitEnd, 3, 50_000, 1220),
        (MutexAcquire, 5, 51_000, MADE + 20),
        (MutexAcquired, 5, 51_100, 7),
        (MutexReleased, 5, 70_000, 7),
        (TaskCreate, 0, 71_000, 1240),
        (TaskCreate, 0, 71_100, 1250),
        (DependenceOf, 0, 71_200, next),
        (Dependence, 0, 71_300, task),
        (GroupBegin, 0, 71_400, 1260),
        (GroupEnd, 0, 71_900, 1260),
        (WaitBegin, 9, 72_000, 1200),
        (WaitEnd, 9, 99_000, 1200),
        (ImplicitEnd, 0, 99_500, 0),
        (RegionEnd, 0, 99_900, region),
        (ClockPair, 0, 99_950, 99_950),
        (ThreadEnd, 0, 100_000, 0),
    ];
    let second = [
        (ThreadBegin, 2, 1_500, 4712),
        (ImplicitBegin, 1, 2_500, region),
        (MaskedBegin, 0, 2_600, 1270),
        (MaskedEnd, 0, 2_700, 1270),
        (WaitBegin, 3, 49_000, 1220),
        (WaitEnd, 3, 50_000, 1220),
        (MutexAcquire, 5, 52_000, 1230),
        (MutexAcquired, 5, 70_100, 7),
        (MutexReleased, 5, 80_000, 7),
        (WaitBegin, 9, 81_000, 1200),
        (TaskSchedule, 7, 82_000, task),
        (TaskSchedule, 1, 92_000, next),
        (TaskSchedule, 1, 93_000, 0),
        (WaitEnd, 9, 99_000, 1200),
        (ImplicitEnd, 1, 99_100, 0),
        (ThreadEnd, 0, 99_950, 0),
    ];
    let mut words = vec![0; HEADER_WORDS];
    for (at, word) in [(place::MAGIC, MAGIC), (place::VERSION, VERSION), (place::PROCESS, 4711)] {
        words[at] = word;
    }
    for (lane, events) in [(0, &first[..]), (1, &second)] {
        let bytes = u32::try_from((64 + 16 * events.len()).next_multiple_of(GRAIN)).unwrap();
        let begun = words.len();
        words.extend(ChunkHeader { bytes, lane, begin_ns: 1, ..ChunkHeader::default() }.words());
        events.iter().for_each(|(kind, operand, at, word)| words.extend([Event::head(*kind, *operand, *at), *word]));
        words.resize(begun + bytes as usize / 8, 0);
    }
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}
