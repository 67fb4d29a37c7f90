//! What one run left in the shared memory, read once, with times in nanoseconds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ora_collectors::roll::{PROCESSES, ProcessSlot};
use ora_collectors::tasks::layout::{Area, CELLS, Cell, Instance, LEVELS, Spread, THREADS, ThreadSlot};
use ora_collectors::ticks::Pace;

use super::left::Left;
use super::steps::Steps;
use crate::ending::Ending;
use crate::identity::Identity;
use crate::places::{Atlas, Place, Spot};

/// One run of the program.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) ending: Ending,
    pub(super) wall_ns: u64,
    /// The process that `ora` started, as the program that it was last. `None`: the collector never ran in it.
    pub(super) main: Option<Process>,
    /// Others that used tasks.
    pub(super) others: Vec<Process>,
    /// Processes that used none, the first one not counted.
    pub(super) without_tasks: usize,
    /// What there was no room for.
    pub(super) processes_left_out: usize,
    pub(super) threads_left_out: usize,
    pub(super) cells_left_out: usize,
}

/// One program in one process.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) who: Identity,
    pub(super) threads: Vec<Thread>,
    /// The most expensive one first.
    pub(super) constructs: Vec<Construct>,
    /// From the implicit tasks' children on.
    pub(super) levels: Vec<Level>,
    /// What of a task can be seen on its runtime.
    pub(super) sight: Sight,
    /// What one task typically takes to be created: half of them take less. `None`: it can't be seen.
    pub(super) creation_ns: Option<f64>,
    /// Typical time to get the next task from the pool, as far as there was one.
    pub(super) fetch_ns: Option<f64>,
    /// By the time of their creation; empty unless asked for.
    pub(super) instances: Vec<Node>,
}

/// Parts of a task's life that not every runtime shows. Where a runtime reports a part's begin and end with one event, the time
/// between the two says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sight {
    /// From the call that creates it until it is queued, or begins. Of chunks of a taskloop it is never seen.
    pub(super) creation: bool,
    /// From the end of its body to its end: the runtime's clean-up.
    pub(super) exit: bool,
}

/// One thread, or several that used one slot in turn.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) number: u32,
    pub(super) tid: u32,
    pub(super) turns: u32,
    pub(super) created: u64,
    pub(super) executed: u64,
    pub(super) execution_ns: f64,
    pub(super) creation_ns: f64,
    pub(super) idle_ns: f64,
    /// What watching has added to its time, about.
    pub(super) watching_ns: f64,
    pub(super) forgotten: u64,
    pub(super) too_deep: u64,
}

/// Some times.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Times {
    pub(super) count: u64,
    pub(super) total_ns: f64,
    pub(super) min_ns: f64,
    pub(super) max_ns: f64,
    pub(super) steps: Steps,
}

/// The tasks of one place in the program.
#[derive(Debug)]
pub(super) struct Construct {
    pub(super) place: Place,
    pub(super) undeferred: u64,
    pub(super) creation: Times,
    pub(super) waiting: Times,
    /// Its creations' times are real.
    pub(super) shows_creation: bool,
    pub(super) early: u64,
    pub(super) negative: u64,
    pub(super) started: u64,
    /// Of these, those that memory was refused for.
    pub(super) too_deep: u64,
    pub(super) execution: Times,
    pub(super) suspension: Times,
    pub(super) idle_ns: f64,
    /// Long ones that ran while no other thread had a task, and for how long that was so, on a processor.
    pub(super) alone_tasks: u64,
    pub(super) alone_ns: f64,
    /// Without one.
    pub(super) alone_held_ns: f64,
    pub(super) cleanup: Times,
    depth: u64,
    pub(super) depth_max: u64,
    pub(super) children: u64,
    pub(super) children_max: u64,
    /// By the thread's number: how many it executed.
    pub(super) by_thread: Vec<(u32, u64)>,
}

/// Tasks at one distance from the implicit tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Level {
    pub(super) created: u64,
    pub(super) creation_ns: f64,
    pub(super) executed: u64,
    pub(super) execution_ns: f64,
    pub(super) executions: Steps,
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

impl Run {
    /// Reads what the collector left.
    pub(super) fn read(left: &Left<'_>) -> Self {
        let Left { area, course, .. } = *left;
        let header = &area.roll.header;
        let root = header.root_pid.load(Relaxed);
        let mut processes: Vec<Process> = area
            .roll
            .process_slots()
            .filter(|(_, slot)| slot.pid.load(Relaxed) != 0)
            .map(|(index, slot)| Process::read(left, index, slot, root))
            .collect();
        // Slots were claimed in the order of time.
        let main = processes.iter().rposition(|p| p.who.pid == root).map(|place| processes.remove(place));
        let others: Vec<Process> = processes.into_iter().filter(Process::used_tasks).collect();
        let told: BTreeSet<u32> = others.iter().map(|p| p.who.pid).filter(|pid| *pid != root).collect();
        let beyond = |claimed: u32, room: usize| (claimed as usize).saturating_sub(room);
        let processes_left_out = beyond(header.processes.load(Relaxed), PROCESSES);
        let met = header.others.load(Relaxed) as usize;
        Self {
            ending: course.ending,
            wall_ns: course.end_ns.saturating_sub(course.start_ns),
            main,
            without_tasks: met.saturating_sub(told.len() + processes_left_out),
            others,
            processes_left_out,
            threads_left_out: beyond(header.threads.load(Relaxed), THREADS)
                + header.without_memory.load(Relaxed) as usize,
            cells_left_out: beyond(area.settings.cells.load(Relaxed), CELLS),
        }
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
    fn read(left: &Left<'_>, index: u32, slot: &ProcessSlot, root: u32) -> Self {
        let Left { area, pace, .. } = *left;
        let slots: Vec<(u32, &ThreadSlot)> =
            area.thread_slots().filter(|(_, thread)| thread.owner.load(Relaxed) == index + 1).collect();
        let mut atlas = Atlas::of(&area.objects, index, &left.instrumented);
        let mut threads: Vec<Thread> = slots.iter().map(|(number, slot)| Thread::read(*number, slot, pace)).collect();
        // The kernel numbers threads in the order that they came into being.
        threads.sort_by_key(|thread| thread.tid);
        let ours: BTreeSet<u32> = slots.iter().map(|(number, _)| number + 1).collect();
        let who = Identity::read(slot, root, left.course.end_ns, || None);
        let sight = Sight::of(&who, !left.instrumented.is_empty());
        let mut instances: Vec<(u64, Node)> = left
            .instances
            .iter()
            .filter(|instance| instance.id.load(Relaxed) != 0 && ours.contains(&instance.creator.load(Relaxed)))
            .map(|instance| (instance.created_at.load(Relaxed), Node::read(instance, pace, sight, &mut atlas)))
            .collect();
        instances.sort_by_key(|(created_at, _)| *created_at);
        let constructs = constructs(area, &ours, pace, sight, &mut atlas);
        let mut creations = Steps::default();
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

    /// Whether any task was seen.
    pub(super) fn used_tasks(&self) -> bool {
        self.sum(|thread| thread.created + thread.executed) > 0
    }

    /// Tasks that memory was refused for.
    pub(super) fn too_deep(&self) -> u64 {
        self.sum(|thread| thread.too_deep)
    }

    /// A sum over all threads.
    pub(super) fn sum(&self, of: impl Fn(&Thread) -> u64) -> u64 {
        self.threads.iter().map(of).sum()
    }

    /// The same, of times.
    pub(super) fn sum_ns(&self, of: impl Fn(&Thread) -> f64) -> f64 {
        self.threads.iter().map(of).sum()
    }

    /// What became of a thread in the order of rows.
    pub(super) fn row_of(&self, number: u32) -> Option<usize> {
        self.threads.iter().position(|thread| thread.number == number)
    }
}

impl Sight {
    /// Of a process. `instrumented`: OPARI's calls are in it.
    fn of(who: &Identity, instrumented: bool) -> Self {
        // OMPT has one callback for a creation, and one for an end; libgomp cleans up after its last call of ours, and OPARI's
        // calls end with the body. What is left is a runtime that embeds the library.
        Self { creation: !who.is_llvm(), exit: who.runtimes == 0 && !instrumented }
    }
}

impl Thread {
    fn read(number: u32, slot: &ThreadSlot, pace: Pace) -> Self {
        let read = |from: &AtomicU64| from.load(Relaxed);
        Self {
            number,
            tid: slot.tid.load(Relaxed),
            turns: slot.turns.load(Relaxed),
            created: read(&slot.created),
            executed: read(&slot.executed),
            execution_ns: pace.ns(read(&slot.execution) as f64),
            creation_ns: pace.ns(read(&slot.creation) as f64),
            idle_ns: pace.ns(read(&slot.idle) as f64),
            watching_ns: pace.ns(slot.watching() as f64),
            forgotten: read(&slot.forgotten),
            too_deep: read(&slot.too_deep),
        }
    }
}

impl Times {
    fn read(spread: &Spread, pace: Pace) -> Self {
        Self {
            count: spread.count.load(Relaxed),
            total_ns: pace.ns(spread.sum.load(Relaxed) as f64),
            min_ns: pace.ns(spread.min().unwrap_or(0) as f64),
            max_ns: pace.ns(spread.max.load(Relaxed) as f64),
            steps: Steps::read(&spread.steps, pace),
        }
    }

    fn add(&mut self, other: &Self) {
        if self.count == 0 {
            self.clone_from(other);
        } else if other.count > 0 {
            self.count += other.count;
            self.total_ns += other.total_ns;
            self.min_ns = self.min_ns.min(other.min_ns);
            self.max_ns = self.max_ns.max(other.max_ns);
            self.steps.add(&other.steps);
        }
    }

    /// The time that this part of them stay below. `None` without any.
    pub(super) fn quantile_ns(&self, part: f64) -> Option<f64> {
        Some(self.steps.quantile(part)?.clamp(self.min_ns, self.max_ns.max(self.min_ns)))
    }

    /// Their mean; 0 without any.
    pub(super) fn mean_ns(&self) -> f64 {
        self.total_ns / self.count.max(1) as f64
    }
}

impl Construct {
    fn read(cell: &Cell, place: Place, pace: Pace, sight: Sight) -> Self {
        let read = |from: &AtomicU64| from.load(Relaxed);
        let execution = Times::read(&cell.execution, pace);
        Self {
            place,
            undeferred: cell.undeferred.load(Relaxed).into(),
            creation: Times::read(&cell.creation, pace),
            waiting: Times::read(&cell.waiting, pace),
            early: read(&cell.early),
            negative: read(&cell.negative),
            shows_creation: sight.creation && read(&cell.chunks) == 0,
            started: read(&cell.started),
            too_deep: read(&cell.too_deep),
            suspension: Times::read(&cell.suspension, pace),
            idle_ns: pace.ns(read(&cell.idle) as f64),
            alone_tasks: read(&cell.alone_tasks),
            alone_ns: (pace.ns(read(&cell.alone) as f64) - read(&cell.alone_held_ns) as f64).max(0.0),
            alone_held_ns: pace.ns(read(&cell.alone) as f64).min(read(&cell.alone_held_ns) as f64),
            cleanup: Times::read(&cell.cleanup, pace),
            depth: read(&cell.depth),
            depth_max: read(&cell.depth_max),
            children: read(&cell.children),
            children_max: read(&cell.children_max),
            by_thread: vec![(cell.owner.load(Relaxed) - 1, execution.count)],
            execution,
        }
    }

    fn add(&mut self, other: Self) {
        self.undeferred += other.undeferred;
        self.creation.add(&other.creation);
        self.waiting.add(&other.waiting);
        self.early += other.early;
        self.negative += other.negative;
        self.shows_creation &= other.shows_creation;
        self.started += other.started;
        self.too_deep += other.too_deep;
        self.execution.add(&other.execution);
        self.suspension.add(&other.suspension);
        self.idle_ns += other.idle_ns;
        self.alone_tasks += other.alone_tasks;
        self.alone_ns += other.alone_ns;
        self.alone_held_ns += other.alone_held_ns;
        self.cleanup.add(&other.cleanup);
        self.depth += other.depth;
        self.depth_max = self.depth_max.max(other.depth_max);
        self.children += other.children;
        self.children_max = self.children_max.max(other.children_max);
        self.by_thread.extend(other.by_thread);
    }

    /// Mean level in the tree.
    pub(super) fn depth_mean(&self) -> f64 {
        self.depth as f64 / self.creation.count.max(1) as f64
    }

    /// Created, and never begun: dropped by a cancellation, or still waiting when the process ended.
    pub(super) fn never_started(&self) -> u64 {
        self.creation.count.saturating_sub(self.started)
    }

    /// Begun, and not ended when the process was.
    pub(super) fn unfinished(&self) -> u64 {
        self.started.saturating_sub(self.execution.count + self.too_deep)
    }
}

impl Level {
    /// Time in the bodies, as it would be had no thread lost its processor in one: see [`Steps::steady_mean`].
    pub(super) fn steady_ns(&self) -> f64 {
        self.executions.steady_mean().map_or(0.0, |mean_ns| mean_ns * self.executed as f64)
    }
}

impl Node {
    fn read(instance: &Instance, pace: Pace, sight: Sight, atlas: &mut Atlas) -> Self {
        let read = |from: &AtomicU64| from.load(Relaxed);
        let (created, started) = (read(&instance.created_at), read(&instance.started_at));
        let known = |seen: bool, from: &AtomicU64| {
            let ticks = read(from);
            (seen && ticks != 0).then(|| pace.ns(ticks as f64))
        };
        Self {
            id: read(&instance.id),
            parent: read(&instance.parent),
            place: atlas.place(read(&instance.place)),
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

fn constructs(area: &Area, ours: &BTreeSet<u32>, pace: Pace, sight: Sight, atlas: &mut Atlas) -> Vec<Construct> {
    let mut found: BTreeMap<Spot, Construct> = BTreeMap::new();
    for cell in area.cells().filter(|cell| ours.contains(&cell.owner.load(Relaxed))) {
        let spot = atlas.spot(cell.place.load(Relaxed));
        let more = Construct::read(cell, spot.place.clone(), pace, sight);
        match found.get_mut(&spot) {
            Some(construct) => construct.add(more),
            None => _ = found.insert(spot, more),
        }
    }
    let mut all: Vec<Construct> = found.into_values().collect();
    for construct in &mut all {
        construct.by_thread.retain(|(_, count)| *count > 0);
        construct.by_thread.sort_unstable();
    }
    let creation = |construct: &Construct| if construct.shows_creation { construct.creation.total_ns } else { 0.0 };
    let cost = |construct: &Construct| construct.execution.total_ns + creation(construct);
    all.sort_by(|one, other| cost(other).total_cmp(&cost(one)));
    all
}

fn levels(slots: &[(u32, &ThreadSlot)], pace: Pace) -> Vec<Level> {
    let mut all = vec![Level::default(); LEVELS];
    for (_, slot) in slots {
        for (to, from) in all.iter_mut().zip(&slot.levels) {
            to.created += from.created.load(Relaxed);
            to.creation_ns += pace.ns(from.creation.load(Relaxed) as f64);
            to.executed += from.executed.load(Relaxed);
            to.execution_ns += pace.ns(from.execution.load(Relaxed) as f64);
            to.executions.add(&Steps::read(&from.executions, pace));
        }
    }
    let used = all.iter().rposition(|level| level.created + level.executed > 0).map_or(0, |last| last + 1);
    all.truncate(used);
    all
}

/// Threads also wait for work, which is not the pool's fault: so the time that a quarter of the fetches stays below.
fn fetch(slots: &[(u32, &ThreadSlot)], pace: Pace) -> Option<f64> {
    let mut all = Steps::default();
    slots.iter().for_each(|(_, slot)| all.add(&Steps::read(&slot.fetches, pace)));
    all.quantile(0.25)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_two_threads_make_one() {
        let some = |count, total_ns, min_ns, max_ns| Times { count, total_ns, min_ns, max_ns, steps: Steps::default() };
        let sum = |one: &Times, other: &Times| {
            let mut sum = one.clone();
            sum.add(other);
            sum
        };
        let one = some(2, 10.0, 4.0, 6.0);
        assert_eq!(sum(&one, &some(1, 1.0, 1.0, 1.0)), some(3, 11.0, 1.0, 6.0));
        assert_eq!(sum(&one, &Times::default()), one);
        assert_eq!(sum(&Times::default(), &one), one);
        assert_eq!(Times::default().mean_ns(), 0.0);
        assert_eq!(Times::default().quantile_ns(0.5), None);
    }
}
