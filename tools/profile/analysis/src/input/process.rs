//! Records of a process, read into memory.

use std::path::{Path, PathBuf};

use profile_format::{Cut, FILE, Moment, Reader, Record, Sample, each_record};
use rustc_hash::FxHashMap;

use super::objects::Kind;
use super::{Facts, InputError, Libraries, Object, Objects, Pieces};
use symbols::{CodeMap, is_made};
use untrusted::{figure, recording};

/// Limit of nesting: only a damaged file has more.
pub const DEEPEST: usize = 200;

/// A profiled process.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// Folder of its records.
    pub folder: PathBuf,
    /// Facts about the process.
    pub facts: Facts,
    /// Code objects of the process.
    pub objects: Objects,
    /// Threads of the process, ordered by number.
    pub threads: Vec<Thread>,
    /// Samples of the process, in the file's order.
    pub samples: Pieces<Sample>,
    /// Time at which its exit handlers had run, or it called `_exit`; `None` if it was killed, or is still running.
    pub ended_ns: Option<u64>,
    /// Number of words in the file that belong to no record.
    pub damaged: usize,
    /// Functions of code that the process has generated itself.
    pub made: CodeMap,
    stacks: FxHashMap<u32, (usize, usize, Cut)>,
    addresses: Vec<u64>,
    regions: FxHashMap<u64, Region>,
}

/// A thread that was sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Number of the thread in the file.
    pub number: u32,
    /// The kernel's thread id; 0: not recorded.
    pub tid: u32,
    /// Time at which the profiler first saw it.
    pub begun_ns: u64,
    /// Address of the function that it was created for; 0: not recorded.
    pub routine: u64,
    /// Time for which it was ready without a processor, if that is known.
    pub ready_ns: Option<u64>,
    /// CPU time for which its signals were late: in the kernel, and while the program blocked them.
    pub late_ns: [u64; 2],
    /// The thread's end, if it was seen.
    pub end: Option<ThreadEnd>,
    /// Number of its samples in the file.
    pub samples: u64,
    /// Number of its samples that the clock's signal caused.
    pub ticks: u64,
}

/// Record of a thread's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadEnd {
    /// Time of the end.
    pub ended_ns: u64,
    /// Wall-clock time since the last sample, which no sample represents.
    pub wall_ns: u64,
    /// CPU time of [`ThreadEnd::wall_ns`].
    pub cpu_ns: u64,
    /// Number of signals that should have come.
    pub asked: u64,
    /// Number of signals that came.
    pub delivered: u64,
    /// Number of samples that could not be stored.
    pub lost: u64,
}

/// An instance of a parallel region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Number of the enclosing region; 0: none.
    pub parent: u64,
    /// Number of the master's stack at the fork.
    pub stack: u32,
    /// Number of the master.
    pub thread: u32,
}

/// A stack of machine frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack<'p> {
    /// Addresses from the leaf on; all but the first are return addresses.
    pub addresses: &'p [u64],
    /// Reason why frames are missing, if they are.
    pub cut: Cut,
}

impl Process {
    /// Reads the profile of a process. Processes that are read with the same `libraries` share what is known of them.
    ///
    /// # Errors
    /// If the file can't be read, or isn't a profile of this version.
    pub fn open(folder: &Path, libraries: &mut Libraries) -> Result<Self, InputError> {
        let file = folder.join(FILE);
        let unreadable = |error| InputError::Unreadable(file.clone(), error);
        let mut from = recording::open(&file).map_err(unreadable)?;
        let mut collected = Collected::default();
        let damaged = each_record(&mut from, |record| collected.take(&record)).map_err(unreadable)?;
        let damaged = damaged.map_err(|error| InputError::Foreign(file.clone(), error))?;
        Ok(Self { folder: folder.to_owned(), made: CodeMap::of(folder), ..collected.finish(damaged, libraries) })
    }

    /// Collects a process from its records.
    pub fn read(mut records: Reader<'_>) -> Self {
        let mut collected = Collected::default();
        records.by_ref().for_each(|record| collected.take(&record));
        collected.finish(records.damaged(), &mut Libraries::default())
    }

    /// A stack by its number; `None` for 0, and for a stack that is not in the file.
    pub fn stack(&self, id: u32) -> Option<Stack<'_>> {
        let (begin, end, cut) = *self.stacks.get(&id)?;
        Some(Stack { addresses: self.addresses.get(begin..end)?, cut })
    }

    /// A region by its number; `None` for 0, and for a region that is not in the file.
    pub fn region(&self, id: u64) -> Option<Region> {
        self.regions.get(&id).copied()
    }

    /// A region and those around it with their numbers, the innermost first. Regions are numbered in the order of their
    /// starts, so the numbers decrease; that, and [`DEEPEST`], end the walk in a damaged file.
    pub fn enclosing(&self, id: u64) -> impl Iterator<Item = (u64, Region)> {
        let with_number = |id: u64| self.region(id).map(|region| (id, region));
        let outer = move |(id, region): &(u64, Region)| with_number(region.parent).filter(|(outer, _)| outer < id);
        std::iter::successors(with_number(id), outer).take(DEEPEST)
    }

    /// Kind of the code at an address.
    pub fn kind(&self, address: u64, at_ns: u64) -> Kind {
        match self.objects.at(address, at_ns) {
            Some(_) if self.objects.is_linked_runtime(address) => Kind::Runtime,
            Some(object) if object.kind == Kind::Runtime && self.objects.is_query(address) => Kind::Query,
            Some(object) if !object.build_id.is_empty() || !is_made(&object.path) => object.kind,
            _ if self.made.is_python(address) => Kind::Python,
            _ => Kind::Program,
        }
    }

    /// Numbers of the threads that have started a region in the file.
    pub fn masters(&self) -> impl Iterator<Item = u32> {
        self.regions.values().map(|region| region.thread)
    }

    /// Largest number of a region in the file. Regions are counted from 1.
    pub fn last_region(&self) -> u64 {
        self.regions.keys().copied().max().unwrap_or(0)
    }

    /// Start and end of the process by CLOCK_MONOTONIC, as far as the records show them.
    pub fn span_ns(&self) -> (u64, u64) {
        let begun = self.threads.iter().map(|thread| thread.begun_ns);
        let begin = self.facts.began_ns.into_iter().chain(begun).min().unwrap_or(0);
        let begin = begin.saturating_sub(self.facts.start_up_ns.unwrap_or(0));
        let ended = self.threads.iter().filter_map(|thread| thread.end).map(|end| end.ended_ns);
        let sampled = self.samples.iter().map(|sample| sample.at_ns);
        let end = self.ended_ns.into_iter().chain(ended).chain(sampled).max().unwrap_or(begin);
        (begin, end.max(begin))
    }
}

/// Content of the records so far.
#[derive(Default)]
struct Collected {
    process: Process,
    objects: Vec<Object>,
    threads: FxHashMap<u32, Thread>,
}

impl Collected {
    fn take(&mut self, record: &Record<'_>) {
        let Self { process, objects, threads } = self;
        match *record {
            Record::Begin { .. } => {}
            Record::Info { key, value } => process.facts.take(key, value),
            Record::Object(object) => objects.push(Object {
                start: object.start,
                end: object.end,
                bias: object.bias,
                since_ns: object.since_ns,
                build_id: object.build_id.to_vec(),
                path: String::from_utf8_lossy(object.path).into_owned(),
                kind: Kind::Program,
            }),
            Record::Thread { thread, tid, begun_ns, routine } => {
                let entry = threads.entry(thread).or_insert_with(|| Thread::new(thread, tid, begun_ns));
                (entry.tid, entry.begun_ns, entry.routine) = (tid, figure::bounded(begun_ns), routine);
            }
            Record::Stack { id, cut, frames } => {
                let begin = process.addresses.len();
                process.addresses.extend(frames.iter());
                process.stacks.insert(id, (begin, process.addresses.len(), cut));
            }
            // The number that means no region: a recorder that was detached has written such a record.
            Record::Region { id: 0, .. } => {}
            Record::Region { id, parent, stack, thread } => {
                process.regions.insert(id, Region { parent, stack, thread });
            }
            Record::Sample(sample) => {
                let (wall_ns, cpu_ns) = (figure::bounded(sample.wall_ns), figure::bounded(sample.cpu_ns));
                process.samples.push(Sample { wall_ns, cpu_ns, at_ns: figure::bounded(sample.at_ns), ..sample });
            }
            Record::ThreadEnd { thread, ended_ns, wall_ns, cpu_ns, asked, delivered, lost } => {
                let entry = threads.entry(thread).or_insert_with(|| Thread::new(thread, 0, ended_ns));
                let [ended_ns, wall_ns, cpu_ns, asked, delivered, lost] =
                    [ended_ns, wall_ns, cpu_ns, asked, delivered, lost].map(figure::bounded);
                entry.end = Some(ThreadEnd { ended_ns, wall_ns, cpu_ns, asked, delivered, lost });
            }
            Record::ThreadReady { thread, ready_ns } => {
                threads.entry(thread).and_modify(|thread| thread.ready_ns = Some(figure::bounded(ready_ns)));
            }
            Record::ThreadLate { thread, in_kernel_ns, blocked_ns } => {
                let late_ns = [in_kernel_ns, blocked_ns].map(figure::bounded);
                threads.entry(thread).and_modify(|thread| thread.late_ns = late_ns);
            }
            Record::End { ended_ns } => process.ended_ns = Some(figure::bounded(ended_ns)),
        }
    }

    fn finish(self, damaged: usize, libraries: &mut Libraries) -> Process {
        let Self { mut process, objects, mut threads } = self;
        process.damaged = damaged;
        process.objects = Objects::new(objects, &process.facts.own, libraries);
        for sample in process.samples.iter() {
            // Its own record may be missing: it could not be stored.
            let thread = threads.entry(sample.thread).or_insert_with(|| Thread::new(sample.thread, 0, sample.at_ns));
            thread.samples += 1;
            thread.ticks += u64::from(sample.moment == Moment::Tick);
        }
        process.threads = threads.into_values().collect();
        process.threads.sort_unstable_by_key(|thread| thread.number);
        process
    }
}

impl Thread {
    fn new(number: u32, tid: u32, begun_ns: u64) -> Self {
        Self { number, tid, begun_ns, routine: 0, ready_ns: None, late_ns: [0; 2], end: None, samples: 0, ticks: 0 }
    }
}
