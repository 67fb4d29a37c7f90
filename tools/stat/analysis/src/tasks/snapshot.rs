//! Snapshot of a run: the collector's shared memory, read once, with times in nanoseconds.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use stat_layout::process_table::{PROCESSES, ProcessSlot};
use stat_layout::tasks::layout::{CELLS, LEVELS, THREADS, TaskInstance, TaskThreadSlot};
use stat_layout::ticks::Pace;
use symbols::{Files, Place, Resolver};
use untrusted::figure::{self, Total};

use super::construct::{Construct, constructs};
use super::histogram::Histogram;
use super::owned::{Owned, by_owner};
use super::raw_run::RawRun;
use super::sight::Sight;
use crate::exit::Exit;
use crate::identity::{Identity, start_order};

/// One run of the program.
#[derive(Debug)]
pub struct TasksRun {
    pub(super) exit: Exit,
    pub(super) wall_ns: u64,
    /// The process that `ora` started, as the program that it was last. `None`: the collector never ran in it.
    pub(super) main: Option<Process>,
    /// Other processes that used tasks.
    pub(super) others: Vec<Process>,
    /// Processes that used none, the first one not counted.
    pub(super) without_tasks: usize,
    /// Numbers of items that did not fit into the collector's tables: processes, threads and so on.
    pub(super) processes_left_out: usize,
    pub(super) threads_left_out: usize,
    pub(super) cells_left_out: usize,
    pub(super) objects_left_out: usize,
}

/// One program in one process.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) who: Identity,
    pub(super) threads: Vec<Thread>,
    /// The most expensive one first.
    pub(super) constructs: Vec<Construct>,
    /// From the children of implicit tasks down.
    pub(super) levels: Vec<Level>,
    /// Parts of a task's life that can be seen on its runtime.
    pub(super) sight: Sight,
    /// Median time of a task's creation. `None`: it can't be seen.
    pub(super) creation_ns: Option<f64>,
    /// Typical time to get the next task from the pool, if there was one.
    pub(super) fetch_ns: Option<f64>,
    /// Tasks by the time of their creation; empty unless requested.
    pub(super) instances: Vec<Node>,
}

/// One thread, or several that used one slot in turn.
#[derive(Debug, Default)]
pub(super) struct Thread {
    pub(super) number: u32,
    pub(super) tid: u32,
    pub(super) turns: u32,
    pub(super) created: u64,
    pub(super) executed: u64,
    pub(super) execution_ns: f64,
    pub(super) creation_ns: f64,
    pub(super) idle_ns: f64,
    /// Estimate of the time that watching has added.
    pub(super) watching_ns: f64,
    pub(super) forgotten: u64,
    pub(super) too_deep: u64,
}

/// Tasks at one distance from the implicit tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Level {
    pub(super) created: u64,
    pub(super) creation_ns: f64,
    pub(super) executed: u64,
    pub(super) execution_ns: f64,
    pub(super) executions: Histogram,
}

/// One task of the tree.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) id: u64,
    pub(super) parent: u64,
    pub(super) place: Place,
    pub(super) creator: u32,
    /// The thread that executed it to its end.
    pub(super) executor: Option<u32>,
    /// `None`: it can't be seen.
    pub(super) creation_ns: Option<f64>,
    pub(super) waiting_ns: Option<f64>,
    pub(super) execution_ns: f64,
    pub(super) suspension_ns: f64,
    /// From the end of its body to its end. `None`: it can't be seen, or did not end.
    pub(super) exit_ns: Option<f64>,
}

impl TasksRun {
    /// Reads what the collector left.
    pub fn read(left: &RawRun<'_>) -> Self {
        let RawRun { area, finished, .. } = *left;
        let header = &area.process_table.header;
        let root = header.root_pid.load(Relaxed);
        let files = Files::of_run(&left.instrumented);
        let mut owned = by_owner(left);
        let mut processes: Vec<Process> = area
            .process_table
            .process_slots()
            .filter(|(_, slot)| slot.pid.load(Relaxed) != 0)
            .map(|(index, slot)| {
                let owned = owned.remove(&(index + 1)).unwrap_or_default();
                Process::read(left, owned, slot, root, &mut Resolver::of(&area.objects, index, &files))
            })
            .collect();
        // Slots are claimed in chronological order.
        let main = processes.iter().rposition(|p| p.who.pid == root).map(|place| processes.remove(place));
        let others: Vec<Process> = processes.into_iter().filter(Process::used_tasks).collect();
        let told: BTreeSet<u32> = others.iter().map(|p| p.who.pid).filter(|pid| *pid != root).collect();
        let beyond = |claimed: u32, room: usize| (claimed as usize).saturating_sub(room);
        let processes_left_out = beyond(header.processes.load(Relaxed), PROCESSES);
        let met = header.others.load(Relaxed) as usize;
        Self {
            exit: finished.exit,
            wall_ns: finished.end_ns.saturating_sub(finished.start_ns),
            main,
            without_tasks: met.saturating_sub(told.len() + processes_left_out),
            others,
            processes_left_out,
            threads_left_out: beyond(header.threads.load(Relaxed), THREADS)
                + header.without_memory.load(Relaxed) as usize,
            cells_left_out: beyond(area.settings.cells.load(Relaxed), CELLS),
            objects_left_out: area.objects.left_out(),
        }
    }

    /// True if the collector ran in the program.
    pub fn is_seen(&self) -> bool {
        self.subject().is_some()
    }

    /// True if the process to show has used tasks, or its runtime does not report them.
    pub fn is_known(&self) -> bool {
        let is_explained = |it: &Process| !it.who.refused.is_empty() || it.who.session != Some(0);
        self.subject().is_some_and(|process| process.used_tasks() || is_explained(process))
    }

    /// The process to show in full: the first, or the only one below it that used tasks.
    pub(super) fn subject(&self) -> Option<&Process> {
        if self.subject_was_started() { self.others.first() } else { self.main.as_ref() }
    }

    /// The process to show is not the one that `ora` started.
    pub(super) fn subject_was_started(&self) -> bool {
        self.others.len() == 1 && !self.main.as_ref().is_some_and(Process::used_tasks)
    }
}

impl Process {
    fn read(left: &RawRun<'_>, owned: Owned<'_>, slot: &ProcessSlot, root: u32, resolver: &mut Resolver) -> Self {
        let pace = left.pace;
        let Owned { threads: slots, cells, instances } = owned;
        let mut threads: Vec<Thread> = slots.iter().map(|(number, slot)| Thread::read(*number, slot, pace)).collect();
        let who = Identity::read(slot, root, &left.finished, || None);
        threads.sort_by_key(|thread| start_order(who.pid, thread.tid));
        let sight = Sight::of(&who, !left.instrumented.is_empty());
        let mut instances: Vec<(u64, Node)> = instances
            .into_iter()
            .map(|instance| (instance.created_at.load(Relaxed), Node::read(instance, pace, sight, resolver)))
            .collect();
        instances.sort_by_key(|(created_at, _)| *created_at);
        let constructs = constructs(&cells, pace, sight, resolver);
        let mut creations = Histogram::default();
        let seen = constructs.iter().filter(|construct| construct.shows_creation);
        seen.for_each(|construct| creations.add(&construct.creation.steps));
        Self {
            who,
            constructs,
            sight,
            creation_ns: creations.quantile(0.5),
            levels: levels(&slots, pace),
            fetch_ns: fetch(&slots, pace),
            threads,
            instances: instances.into_iter().map(|(_, node)| node).collect(),
        }
    }

    /// True if any task was seen.
    pub(super) fn used_tasks(&self) -> bool {
        self.sum(|thread| figure::sum(thread.created, thread.executed)) > 0
    }

    /// Tasks for which memory was refused.
    pub(super) fn too_deep(&self) -> u64 {
        self.sum(|thread| thread.too_deep)
    }

    /// A sum over all threads.
    pub(super) fn sum(&self, of: impl Fn(&Thread) -> u64) -> u64 {
        self.threads.iter().map(of).total()
    }

    /// A sum of times over all threads.
    pub(super) fn sum_ns(&self, of: impl Fn(&Thread) -> f64) -> f64 {
        self.threads.iter().map(of).fold(0.0, std::ops::Add::add)
    }

    /// Row of the thread with this number.
    pub(super) fn row_of(&self, number: u32) -> Option<usize> {
        self.threads.iter().position(|thread| thread.number == number)
    }
}

impl Thread {
    fn read(number: u32, slot: &TaskThreadSlot, pace: Pace) -> Self {
        let read = |from: &AtomicU64| from.load(Relaxed);
        Self {
            number,
            tid: slot.tid.load(Relaxed),
            turns: slot.turns.load(Relaxed),
            created: figure::read(&slot.created),
            executed: figure::read(&slot.executed),
            execution_ns: pace.ns(read(&slot.execution) as f64),
            creation_ns: pace.ns(read(&slot.creation) as f64),
            idle_ns: pace.ns(read(&slot.idle) as f64),
            watching_ns: pace.ns(slot.watching() as f64),
            forgotten: figure::read(&slot.forgotten),
            too_deep: figure::read(&slot.too_deep),
        }
    }
}

impl Level {
    /// Time in the bodies, as it would be if no thread had lost its processor in one: see [`Histogram::steady_mean`].
    pub(super) fn steady_ns(&self) -> f64 {
        self.executions.steady_mean().map_or(0.0, |mean_ns| mean_ns * self.executed as f64)
    }
}

impl Node {
    fn read(instance: &TaskInstance, pace: Pace, sight: Sight, resolver: &mut Resolver) -> Self {
        let read = |from: &AtomicU64| from.load(Relaxed);
        let (created, started) = (read(&instance.created_at), read(&instance.started_at));
        let known = |seen: bool, from: &AtomicU64| {
            let ticks = read(from);
            (seen && ticks != 0).then(|| pace.ns(ticks as f64))
        };
        Self {
            id: read(&instance.id),
            parent: read(&instance.parent),
            place: resolver.place(read(&instance.place)),
            creator: instance.creator.load(Relaxed).saturating_sub(1),
            executor: instance.executor.load(Relaxed).checked_sub(1),
            creation_ns: known(sight.creation, &instance.creation),
            exit_ns: known(sight.exit, &instance.exit),
            waiting_ns: (started != 0).then(|| pace.ns(started.saturating_sub(created) as f64)),
            execution_ns: pace.ns(read(&instance.execution) as f64),
            suspension_ns: pace.ns(read(&instance.suspension) as f64),
        }
    }
}

fn levels(slots: &[(u32, &TaskThreadSlot)], pace: Pace) -> Vec<Level> {
    let mut all = vec![Level::default(); LEVELS];
    for (_, slot) in slots {
        for (to, from) in all.iter_mut().zip(&slot.levels) {
            to.created = figure::sum(to.created, from.created.load(Relaxed));
            to.creation_ns += pace.ns(from.creation.load(Relaxed) as f64);
            to.executed = figure::sum(to.executed, from.executed.load(Relaxed));
            to.execution_ns += pace.ns(from.execution.load(Relaxed) as f64);
            to.executions.add(&Histogram::read(&from.executions, pace));
        }
    }
    let used = all.iter().rposition(|level| figure::sum(level.created, level.executed) > 0).map_or(0, |last| last + 1);
    all.truncate(used);
    all
}

/// Time to fetch a task: the one that a quarter of the fetches stay below. In longer ones threads also wait for work,
/// which is not the pool's fault.
fn fetch(slots: &[(u32, &TaskThreadSlot)], pace: Pace) -> Option<f64> {
    let mut all = Histogram::default();
    slots.iter().for_each(|(_, slot)| all.add(&Histogram::read(&slot.fetches, pace)));
    all.quantile(0.25)
}
