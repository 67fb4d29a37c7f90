//! A file of records as `ora profile` might have written it, for a program that never ran: for tests and examples of
//! its readers.

use crate::{Cut, Frames, Moment, Object, Record, Sample, VERSION, Writable, info};

/// The records so far.
#[derive(Debug)]
pub struct Simulated {
    /// The file.
    pub bytes: Vec<u8>,
    stacks: u32,
}

/// The objects, a thousand addresses each, in this order, starting at 1000.
const OBJECTS: [&str; 5] = [
    "/home/me/prog",
    "/usr/lib/libgomp.so.1.0.0",
    "/usr/lib/libora.so",
    "/usr/lib/libora_profiler.so",
    "/lib/libc.so.6",
];

impl Simulated {
    /// A process with its identifying records.
    #[expect(clippy::new_without_default, reason = "nothing is simulated by default")]
    pub fn new() -> Self {
        let object = |(start, path): (u64, &'static str)| {
            let (end, path) = (start + 1000, path.as_bytes());
            Object { start, end, bias: 0, since_ns: 0, build_id: b"", path }
        };
        Self::of(&(1000..).step_by(1000).zip(OBJECTS).map(object).collect::<Vec<_>>())
    }

    /// A profile with other objects.
    pub fn of(objects: &[Object<'_>]) -> Self {
        let mut new = Self { bytes: Vec::new(), stacks: 0 };
        new.add(Record::Begin { version: VERSION });
        for object in objects {
            new.add(Record::Object(*object));
        }
        for (key, value) in [
            (info::PID, &b"4711"[..]),
            (info::COMMAND, b"./prog\x0010\0"),
            (info::RATE, b"100"),
            (info::CLOCK, b"cpu"),
            (info::TIMER, b"perf"),
            (info::BEGAN, b"1000000"),
            (info::SESSION, b"OMP_ERRCODE_OK"),
            (info::OWN, b"/usr/lib/libora.so\0/usr/lib/libora_profiler.so\0"),
        ] {
            new.add(Record::Info { key, value });
        }
        new
    }

    /// Adds a record.
    ///
    /// # Panics
    /// If it is longer than a record may be.
    pub fn add(&mut self, record: Record<'_>) {
        let record = Writable::new(record).expect("a record is short");
        self.bytes.extend(record.head().to_ne_bytes());
        record.body(&mut |word| self.bytes.extend(word.to_ne_bytes()));
    }

    /// Adds another stack, the leaf first.
    pub fn stack(&mut self, frames: &[u64]) -> u32 {
        self.cut_stack(frames, Cut::Whole)
    }

    /// Adds a stack that may have been cut.
    pub fn cut_stack(&mut self, frames: &[u64], cut: Cut) -> u32 {
        self.stacks += 1;
        self.add(Record::Stack { id: self.stacks, cut, frames: Frames::Words(frames) });
        self.stacks
    }

    /// Adds a region that `thread` has started with this stack.
    pub fn region(&mut self, id: u64, parent: u64, thread: u32, fork: &[u64]) {
        let stack = self.stack(fork);
        self.region_at(id, parent, thread, stack);
    }

    /// Adds a region with an existing stack.
    pub fn region_at(&mut self, id: u64, parent: u64, thread: u32, stack: u32) {
        self.add(Record::Region { id, parent, stack, thread });
    }

    /// Adds a sample of `ms` milliseconds of wall-clock and CPU time; `moment`: by the clock, or a measured wait.
    pub fn time(&mut self, (thread, region): (u32, u64), state: u32, stack: u32, moment: Moment, ms: (u64, u64)) {
        let at_ns = self.bytes.len() as u64 * 1000;
        let (wall_ns, cpu_ns) = (ms.0 * 1_000_000, ms.1 * 1_000_000);
        let sample = Sample { thread, moment, state, stack, at_ns, wall_ns, cpu_ns, wait: 0, region };
        self.add(Record::Sample(sample));
    }

    /// Adds a sample of ten milliseconds, all of it CPU time.
    pub fn sample(&mut self, thread: u32, region: u64, state: u32, stack: u32) -> Sample {
        let at_ns = self.bytes.len() as u64 * 1000;
        let sample = Sample {
            thread,
            moment: Moment::Tick,
            state,
            stack,
            at_ns,
            wall_ns: 10_000_000,
            cpu_ns: 10_000_000,
            wait: 0,
            region,
        };
        self.add(Record::Sample(sample));
        sample
    }
}
