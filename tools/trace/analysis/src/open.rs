//! From a process's folder to its timeline.

use std::path::{Path, PathBuf};

use profile_analysis::input::{InputError, Kind as Code, Libraries, Object, Objects, Process};
use profile_format::{Reader, Record, info};
use rustc_hash::FxHashMap;
use symbols::{Files, Names, ProcessNames};
use terminal::printable::Shown;
use trace_format::{FILE, Foreign, Header, Kind, Pair, Trace};
use untrusted::recording;

use crate::by_id::ById;
use crate::call::{Calls, in_file};
use crate::clock::Ticks;
use crate::replay::{self, INITIAL, Replayed};
use crate::{Region, Slice, Thread, Timeline, What};

/// Reason why a timeline can't be read.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The records can't be read.
    #[error(transparent)]
    Records(#[from] InputError),
    /// The events can't be read.
    #[error("cannot read {}: {}", .0.shown(), .1)]
    Unreadable(PathBuf, #[source] std::io::Error),
    /// The events are another program's, or another version's.
    #[error("{}: {}", .0.shown(), .1)]
    Foreign(PathBuf, #[source] Foreign),
}

/// Most files whose imports are read, in search of doacross loops.
const MAX_PROGRAMS: usize = 64;

/// True if a process's folder has events.
pub fn is_trace(folder: &Path) -> bool {
    folder.join(FILE).is_file()
}

/// Reads a process's folder. The files that provide names, and what is known of libraries, are shared by all processes.
///
/// # Errors
/// If a file can't be read, or is not a trace of this version.
pub fn open(folder: &Path, files: &Files, libraries: &mut Libraries) -> Result<Timeline, OpenError> {
    let process = Process::open(folder, libraries)?;
    let path = folder.join(FILE);
    let bytes = recording::read(&path).map_err(|error| OpenError::Unreadable(path.clone(), error))?;
    let trace = Trace::new(&bytes).map_err(|error| OpenError::Foreign(path, error))?;
    let mut timeline = read(&trace);
    let mut names = ProcessNames::new(files, process.objects.iter().map(Object::record)).with_made(&process.made);
    timeline.name_sites(&mut names, &process.objects);
    timeline.runtime = runtime(folder);
    let mut programs = process.objects.iter().filter(|object| object.kind == Code::Program).take(MAX_PROGRAMS);
    timeline.has_doacross = programs.any(|object| libraries.has_doacross(&object.path, &object.build_id));
    (timeline.folder, timeline.facts) = (process.folder, process.facts);
    Ok(timeline)
}

/// The timeline of a file of events, without names and facts.
///
/// # Errors
/// If the bytes are not a trace of this version.
pub fn of_events(bytes: &[u8]) -> Result<Timeline, Foreign> {
    Trace::new(bytes).map(|trace| read(&trace))
}

/// Name and version of the runtime, from the records.
fn runtime(folder: &Path) -> String {
    let bytes = recording::read(&folder.join(profile_format::FILE)).unwrap_or_default();
    let Ok(records) = Reader::new(&bytes) else { return String::new() };
    let named = records.filter_map(|record| match record {
        Record::Info { key: info::RUNTIME, value } => Some(String::from_utf8_lossy(value).into_owned()),
        _ => None,
    });
    named.last().unwrap_or_default()
}

/// The timeline of a file of events, without names.
fn read(trace: &Trace<'_>) -> Timeline {
    let mut lanes: FxHashMap<u32, Vec<_>> = FxHashMap::default();
    let mut moments = vec![trace.header.begin];
    moments.extend(trace.header.second.iter().chain(&trace.header.end));
    for chunk in trace.chunks() {
        moments.push(Pair { tick: chunk.header.begin, ns: chunk.header.begin_ns });
        let pairs = chunk.events().filter(|event| event.kind == Kind::ClockPair);
        moments.extend(pairs.map(|event| Pair { tick: event.tick, ns: event.word }));
        lanes.entry(chunk.header.lane).or_default().push(chunk);
    }
    let ticks = Ticks::new(trace.header.clock, moments);
    let before_ns = trace.header.is_attached.then_some(trace.header.begin.ns);
    let mut replayed = Replayed::default();
    let mut numbers: Vec<u32> = lanes.keys().copied().collect();
    numbers.sort_unstable();
    for number in numbers {
        let Some(chunks) = lanes.get_mut(&number) else { continue };
        // A chunk occurs twice if the process died while it copied it: the whole one counts.
        chunks.sort_by_cached_key(|chunk| (chunk.header.number, std::cmp::Reverse(chunk.count())));
        chunks.dedup_by_key(|chunk| chunk.header.number);
        replay::lane(&mut replayed, &ticks, chunks, before_ns);
    }
    timeline(replayed, trace)
}

fn timeline(mut replayed: Replayed, trace: &Trace<'_>) -> Timeline {
    begin_with_program(&mut replayed.threads, &trace.header);
    let first = replayed.threads.iter().map(|thread| thread.begin_ns).min();
    let last = replayed.threads.iter().map(|thread| thread.end_ns).max().unwrap_or(0);
    let begin_ns = program_begin_ns(&trace.header).unwrap_or(trace.header.begin.ns).min(first.unwrap_or(u64::MAX));
    let end_ns = trace.header.end.map_or(last, |end| end.ns.max(last)).max(begin_ns);
    let ends: Vec<u64> = replayed.threads.iter().map(|thread| thread.end_ns).collect();
    for region in replayed.regions.iter_mut().filter(|region| !region.is_over && region.end_ns == 0) {
        let end_ns = ends.get(region.thread as usize).copied().unwrap_or(end_ns);
        region.end_ns = end_ns.max(region.begin_ns);
    }
    for thread in &mut replayed.threads {
        end_with_regions(&mut thread.slices, &replayed.regions, &replayed.region_index);
        end_open_slices(thread);
    }
    Timeline {
        header: trace.header.clone(),
        begin_ns,
        end_ns,
        threads: replayed.threads,
        regions: replayed.regions,
        tasks: replayed.tasks,
        dependences: replayed.dependences,
        counts: replayed.counts,
        recorder_ns: replayed.recorder_ns,
        region_index: replayed.region_index,
        task_index: replayed.task_index,
        ..Timeline::default()
    }
}

/// Start of the program, if it was not running before the recording.
fn program_begin_ns(header: &Header) -> Option<u64> {
    let loaded_ns = Some(header.loaded_ns).filter(|loaded_ns| (1..=header.begin.ns).contains(loaded_ns));
    loaded_ns.filter(|_| !header.is_attached)
}

/// Lets the process's first thread begin with the program: runtimes report it with its first region.
fn begin_with_program(threads: &mut [Thread], header: &Header) {
    let is_first = |thread: &&mut Thread| thread.kind == INITIAL && u64::from(thread.tid) == header.process;
    let first = threads.iter_mut().filter(is_first).min_by_key(|thread| thread.begin_ns);
    if let Some((thread, begin_ns)) = first.zip(program_begin_ns(header)) {
        thread.begin_ns = thread.begin_ns.min(begin_ns);
    }
}

/// Ends a worker's slices in a region with the region. Runtimes report the end of a worker's last barrier when it wakes for
/// the next region; in between it is idle.
fn end_with_regions(slices: &mut [Slice], regions: &[Region], index: &ById) {
    // Depth of each open slice, and the latest end of the slices inside it.
    let mut open: Vec<(u16, u64)> = Vec::new();
    for slice in slices.iter_mut().filter(|slice| !slice.is_apart) {
        while open.last().is_some_and(|(depth, _)| *depth >= slice.depth) {
            open.pop();
        }
        let around = open.last().map_or(u64::MAX, |(_, limit)| *limit);
        let id = (slice.what == What::Implicit).then_some(slice.id);
        let region = id.and_then(|id| regions.get(index.get(id)? as usize));
        let own = region.filter(|region| region.is_over);
        let limit = own.map_or(around, |region| around.min(region.end_ns.max(slice.begin_ns)));
        slice.begin_ns = slice.begin_ns.min(limit);
        slice.end_ns = slice.end_ns.min(limit);
        open.push((slice.depth, limit));
    }
}

/// Ends the slices that no region has ended, and the thread, which may have waited for its last region's end after its last event.
fn end_open_slices(thread: &mut Thread) {
    let ends = thread.slices.iter().map(|slice| slice.end_ns).filter(|end_ns| *end_ns != u64::MAX);
    thread.end_ns = ends.max().unwrap_or(0).max(thread.end_ns);
    thread.slices.iter_mut().for_each(|slice| slice.end_ns = slice.end_ns.min(thread.end_ns));
}

impl Timeline {
    /// Names the places of all calls. The code of each becomes the key of its place.
    fn name_sites(&mut self, names: &mut dyn Names, objects: &Objects) {
        let mut calls = Calls::new(objects);
        let in_file = |returns_to, at_ns| in_file(objects, returns_to, at_ns);
        let regions = self.regions.iter_mut().map(|region| (&mut region.code, region.begin_ns));
        let tasks = self.tasks.iter_mut().map(|task| (&mut task.code, task.created_ns));
        for (code, at_ns) in regions.chain(tasks) {
            let call = calls.at(*code, at_ns);
            *code = call.key;
            self.sites.note_construct(call, names, &in_file);
        }
        let mut last = 0;
        for slice in self.threads.iter_mut().flat_map(|thread| &mut thread.slices) {
            let call = calls.at(slice.code, slice.begin_ns);
            slice.code = call.key;
            if call.key != last {
                self.sites.note(call, names, &in_file);
                last = call.key;
            }
        }
        self.sites.shorten();
        self.join_places();
    }

    /// Gives all calls of one place the same return address.
    fn join_places(&mut self) {
        let same = self.sites.same_places();
        if same.is_empty() {
            return;
        }
        let join = |code: &mut u64| *code = same.get(code).copied().unwrap_or(*code);
        self.threads.iter_mut().flat_map(|thread| &mut thread.slices).for_each(|slice| join(&mut slice.code));
        self.regions.iter_mut().for_each(|region| join(&mut region.code));
        self.tasks.iter_mut().for_each(|task| join(&mut task.code));
    }
}
