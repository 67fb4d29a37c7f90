//! Events of a simulated process: regions with tasks, critical sections and barriers.

use trace_format::{CHUNK_WORDS, ChunkHeader, Event, GRAIN, HEADER_WORDS, Kind, MAGIC, VERSION, id, place};

use super::code::Code;
use super::{Rank, THREADS};

/// Length of a full chunk, as the recorder writes it, in bytes.
const CHUNK: usize = 1 << 16;
/// Size of a team.
const TEAM: u16 = 4;
/// Places that start regions.
const PLACES: u64 = 20;
/// Time between two events of a thread, in nanoseconds.
const STEP_NS: u64 = 500;
/// Numbers of OMPT: a thread's kinds, an implicit barrier of a region, a critical section, the end of a task.
const INITIAL: u16 = 1;
const WORKER: u16 = 2;
const LAST_BARRIER: u16 = 9;
const CRITICAL: u16 = 5;
const SWITCH: u16 = 7;
const COMPLETE: u16 = 1;

const _: () = assert!(TEAM as u32 == THREADS);

/// Words of the file, and the chunk that each thread writes to.
struct File {
    words: Vec<u64>,
    lanes: Vec<Lane>,
}

#[derive(Default)]
struct Lane {
    header: ChunkHeader,
    events: Vec<[u64; 2]>,
    regions: u64,
    tasks: u64,
    now_ns: u64,
}

/// The file of events, with about this number of them.
pub(super) fn events(code: &Code, rank: Rank, count: u64) -> Vec<u8> {
    let mut words = vec![0; HEADER_WORDS];
    let begin_ns = 1_000;
    for (at, word) in [
        (place::MAGIC, MAGIC),
        (place::VERSION, VERSION),
        (place::PROCESS, 1000 + rank.number),
        (place::BEGIN[0], begin_ns),
        (place::BEGIN[1], begin_ns),
        (place::BEGIN[2], begin_ns),
    ] {
        words.get_mut(at).into_iter().for_each(|to| *to = word);
    }
    let lanes = (0..THREADS).map(|lane| Lane::new(lane, begin_ns)).collect();
    let mut file = File { words, lanes };
    let mut written = 0;
    while written < count {
        written += file.region(code, written);
    }
    let end_ns = file.lanes.iter().map(|lane| lane.now_ns).max().unwrap_or(begin_ns);
    let File { mut words, lanes } = file;
    lanes.into_iter().for_each(|mut lane| lane.flush(&mut words));
    for (at, word) in place::END.iter().zip([end_ns, end_ns]) {
        words.get_mut(*at).into_iter().for_each(|to| *to = word);
    }
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

impl File {
    /// A region of all threads, each of which creates and executes a task, and enters a critical section. Returns the number of events.
    fn region(&mut self, code: &Code, number: u64) -> u64 {
        let at = code.call(100 + number % PLACES);
        let Self { words, lanes } = self;
        let mut count = 0;
        let region = lanes.first_mut().map_or(0, |first| {
            count += first.put(words, Kind::RegionBegin, TEAM, at);
            id(0, first.regions)
        });
        let begin_ns = lanes.iter().map(|lane| lane.now_ns).max().unwrap_or_default();
        for (member, lane) in (0..).zip(lanes.iter_mut()) {
            lane.now_ns = begin_ns + u64::from(member) * STEP_NS / 4;
            let task = id(lane.header.lane, lane.tasks + 1);
            for (kind, operand, word) in [
                (Kind::ImplicitBegin, member, region),
                (Kind::MutexAcquire, CRITICAL, at + 16),
                (Kind::MutexAcquired, CRITICAL, 7),
                (Kind::MutexReleased, CRITICAL, 7),
                (Kind::TaskCreate, 0, at + 32),
                (Kind::WaitBegin, LAST_BARRIER, at),
                (Kind::TaskSchedule, SWITCH, task),
                (Kind::TaskSchedule, COMPLETE, 0),
                (Kind::WaitEnd, LAST_BARRIER, at),
                (Kind::ImplicitEnd, member, region),
            ] {
                count += lane.put(words, kind, operand, word);
            }
        }
        count + lanes.first_mut().map_or(0, |first| first.put(words, Kind::RegionEnd, 0, region))
    }
}

impl Lane {
    fn new(lane: u32, now_ns: u64) -> Self {
        let thread_kind = if lane == 0 { INITIAL } else { WORKER };
        let mut new =
            Self { header: ChunkHeader { lane, thread_kind, ..ChunkHeader::default() }, now_ns, ..Self::default() };
        (new.header.begin, new.header.begin_ns) = (now_ns, now_ns);
        new.events.push([Event::head(Kind::ThreadBegin, thread_kind, 0), u64::from(1000 + lane)]);
        new
    }

    /// Writes an event; returns the number of events.
    fn put(&mut self, words: &mut Vec<u64>, kind: Kind, operand: u16, word: u64) -> u64 {
        if CHUNK_WORDS + 2 * self.events.len() == CHUNK / 8 {
            self.flush(words);
        }
        match kind {
            Kind::RegionBegin => self.regions += 1,
            Kind::TaskCreate => self.tasks += 1,
            _ => {}
        }
        self.now_ns += STEP_NS;
        self.events.push([Event::head(kind, operand, self.now_ns - self.header.begin), word]);
        1
    }

    /// Appends the chunk to the file, and starts the next one.
    fn flush(&mut self, words: &mut Vec<u64>) {
        let bytes = (8 * CHUNK_WORDS + 16 * self.events.len()).next_multiple_of(GRAIN);
        let end = words.len() + bytes / 8;
        self.header.bytes = u32::try_from(bytes).unwrap_or_default();
        words.extend(self.header.words());
        words.extend(self.events.drain(..).flatten());
        words.resize(end, 0);
        self.header.number += 1;
        self.header.tid = 1000 + self.header.lane;
        (self.header.begin, self.header.begin_ns) = (self.now_ns, self.now_ns);
        (self.header.regions, self.header.tasks) = (self.regions, self.tasks);
    }
}
