//! An archive in the Open Trace Format 2, for Vampir, Scalasca and ViTE: OTF2's own events for teams, tasks and locks, in
//! addition to regions that threads enter and leave.

use std::io;
use std::path::Path;

use otf2_writer::{Archive, Comm, Location, Paradigm, Process, Region, Role};
use rustc_hash::FxHashMap;
use terminal::printable::Shown;

use crate::cause::slices;
use crate::kinds::{DEPENDENCES, TASKGROUP, TASKWAIT};
use crate::steps::{self, Step};
use crate::{Slice, Timeline, What};

/// Writes the processes of a trace to a folder.
///
/// # Errors
/// If a file can't be written.
pub fn write(folder: &Path, timelines: &[Timeline]) -> io::Result<()> {
    let mut archive = Archive::create(folder)?;
    let mut nodes = FxHashMap::default();
    let mut locations = 0;
    for timeline in timelines {
        // Programs print an archive's texts unescaped.
        let host = timeline.facts.host.as_deref().unwrap_or("machine").shown().to_string();
        let node = *nodes.entry(host).or_insert_with_key(|host| archive.node(host));
        let process = archive.process(&timeline.name().shown().to_string(), node);
        let all: Vec<u64> = (locations..).take(timeline.threads.len()).collect();
        locations += all.len() as u64;
        let team = archive.comm("OpenMP", Paradigm::OPENMP, &all);
        Writer { timeline, team, locks: Locks::of(timeline) }.threads(&mut archive, process)?;
    }
    let begin = timelines.iter().map(|timeline| timeline.begin_ns).min().unwrap_or(0);
    let end = timelines.iter().map(|timeline| timeline.end_ns).max().unwrap_or(begin);
    let real_ns = timelines.first().map_or(0, |timeline| timeline.header.begin_real_ns);
    archive.finish(begin, end, real_ns)
}

/// Numbers of locks, and of the times that they were acquired.
#[derive(Debug, Default)]
struct Locks {
    numbers: FxHashMap<u64, u32>,
    orders: FxHashMap<(u32, u32), u32>,
}

impl Locks {
    fn of(timeline: &Timeline) -> Self {
        let held = slices(timeline).filter(|(_, _, slice)| matches!(slice.what, What::Mutex(_)));
        let mut held: Vec<_> = held.map(|(thread, index, slice)| (slice.begin_ns, slice.id, thread, index)).collect();
        held.sort_unstable();
        let mut locks = Self::default();
        let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
        for (_, id, thread, index) in held {
            let next = u32::try_from(locks.numbers.len()).unwrap_or(u32::MAX);
            locks.numbers.entry(id).or_insert(next);
            let count = counts.entry(id).or_default();
            *count += 1;
            locks.orders.insert((thread, index), *count);
        }
        locks
    }
}

struct Writer<'t> {
    timeline: &'t Timeline,
    team: Comm,
    locks: Locks,
}

impl Writer<'_> {
    fn threads(&self, archive: &mut Archive, process: Process) -> io::Result<()> {
        let mut created = steps::creations(self.timeline);
        for index in 0..self.timeline.threads.len() {
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            let mut location = archive.location(&self.timeline.thread_name(index), process)?;
            let creations = created.remove(&number).unwrap_or_default();
            for (at_ns, step) in steps::of_thread(self.timeline, number, creations) {
                self.step(archive, &mut location, number, at_ns, step)?;
            }
            archive.add(location)?;
        }
        Ok(())
    }

    fn step(&self, archive: &mut Archive, to: &mut Location, thread: u32, at: u64, step: Step) -> io::Result<()> {
        match step {
            Step::Create(task) => match self.timeline.tasks.get(task) {
                Some(task) => to.task_create(at, self.team, self.task(task.id)),
                None => Ok(()),
            },
            Step::Begin(number) => match self.timeline.slice(thread, number) {
                Some(slice) => self.begin(archive, to, at, slice, self.order(thread, number)),
                None => Ok(()),
            },
            Step::End(number) => match self.timeline.slice(thread, number) {
                Some(slice) => self.end(archive, to, at, slice, (thread, number)),
                None => Ok(()),
            },
        }
    }

    fn order(&self, thread: u32, number: u32) -> u32 {
        self.locks.orders.get(&(thread, number)).copied().unwrap_or(0)
    }

    fn lock(&self, slice: &Slice) -> u32 {
        self.locks.numbers.get(&slice.id).copied().unwrap_or(0)
    }

    /// A task's creator, and its number among the creator's tasks.
    #[allow(clippy::cast_possible_truncation)] // OTF2 has 32 bits for it
    fn task(&self, id: u64) -> otf2_writer::Task {
        let creator = self.timeline.task(id).map_or(0, |task| task.creator);
        (creator, (id & trace_format::LONGEST) as u32)
    }

    fn begin(&self, archive: &mut Archive, to: &mut Location, at: u64, slice: &Slice, order: u32) -> io::Result<()> {
        match slice.what {
            What::Implicit => to.team_begin(at, self.team)?,
            What::Task => to.task_switch(at, self.team, self.task(slice.id))?,
            What::Mutex(_) => to.acquire(at, Paradigm::OPENMP, self.lock(slice), order)?,
            _ => {}
        }
        to.enter(at, self.region(archive, slice))?;
        if slice.what == What::Region {
            let team = self.timeline.region(slice.id).map_or(0, |region| region.team);
            to.fork(at, Paradigm::OPENMP, team)?;
        }
        Ok(())
    }

    fn end(
        &self,
        archive: &mut Archive,
        to: &mut Location,
        at: u64,
        slice: &Slice,
        place: (u32, u32),
    ) -> io::Result<()> {
        if slice.what == What::Region {
            to.join(at, Paradigm::OPENMP)?;
        }
        to.leave(at, self.region(archive, slice))?;
        match slice.what {
            What::Implicit => to.team_end(at, self.team),
            What::Task => match self.timeline.task(slice.id) {
                Some(task) if task.last == place && task.ended_ns > 0 => {
                    to.task_complete(at, self.team, self.task(slice.id))
                }
                _ => Ok(()),
            },
            What::Mutex(_) => to.release(at, Paradigm::OPENMP, self.lock(slice), self.order(place.0, place.1)),
            _ => Ok(()),
        }
    }

    fn region(&self, archive: &mut Archive, slice: &Slice) -> Region {
        let site = self.timeline.site(slice);
        let file = site.and_then(|site| site.file.as_deref()).unwrap_or_default().shown().to_string();
        let name = self.timeline.describe(slice).shown().to_string();
        archive.region(&name, &file, site.map_or(0, |site| site.line), role(slice.what), Paradigm::OPENMP)
    }
}

/// OTF2's role for an activity of a thread.
fn role(what: What) -> Role {
    match what {
        What::Region | What::Before => Role::PARALLEL,
        What::Task => Role::TASK,
        What::Wait(1 | 3) => Role::BARRIER,
        What::Wait(TASKWAIT | TASKGROUP | DEPENDENCES) => Role::TASK_WAIT,
        What::Wait(_) => Role::IMPLICIT_BARRIER,
        What::Mutex(5) => Role::CRITICAL,
        What::Mutex(6) => Role::ATOMIC,
        What::Mutex(7) => Role::ORDERED,
        What::Work(1 | 10..=13) => Role::LOOP,
        What::Work(3 | 4) => Role::SINGLE,
        What::Work(_) => Role::WORKSHARE,
        What::Masked => Role::MASTER,
        What::Implicit | What::Group | What::MutexWait(_) | What::Mutex(_) | What::Recorder => Role::CODE,
    }
}
