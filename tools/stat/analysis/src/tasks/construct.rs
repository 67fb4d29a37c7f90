//! The constructs that create tasks: what the tasks of one place in the program cost, over all threads.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

use stat_layout::tasks::layout::Cell;
use stat_layout::ticks::Pace;
use symbols::{Place, Resolved, Resolver};
use untrusted::figure::{read, sum};

use super::sight::Sight;
use super::times::Times;

/// The tasks of one place in the program.
#[derive(Debug)]
pub(super) struct Construct {
    pub(super) place: Place,
    pub(super) undeferred: u64,
    /// Undeferred tasks whose creation time is an estimate.
    pub(super) estimated: u64,
    pub(super) creation: Times,
    pub(super) waiting: Times,
    /// The runtime shows the real times of creations.
    pub(super) shows_creation: bool,
    pub(super) early: u64,
    pub(super) negative: u64,
    pub(super) started: u64,
    /// Number of started tasks for which the system refused memory.
    pub(super) too_deep: u64,
    pub(super) execution: Times,
    pub(super) suspension: Times,
    pub(super) idle_ns: f64,
    /// Long tasks that ran while no other thread had a task, and for how long, on a processor.
    pub(super) alone_tasks: u64,
    pub(super) alone_ns: f64,
    /// Part of these tasks' time for which they had no processor.
    pub(super) alone_held_ns: f64,
    pub(super) cleanup: Times,
    depth: u64,
    pub(super) depth_max: u64,
    pub(super) children: u64,
    pub(super) children_max: u64,
    /// Number of tasks that each thread executed, by the thread's number.
    pub(super) by_thread: Vec<(u32, u64)>,
}

impl Construct {
    fn read(cell: &Cell, place: Place, pace: Pace, sight: Sight) -> Self {
        let execution = Times::read(&cell.execution, pace);
        Self {
            place,
            undeferred: cell.undeferred.load(Relaxed).into(),
            estimated: cell.estimated().into(),
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
            by_thread: vec![(cell.owner.load(Relaxed).saturating_sub(1), execution.count)],
            execution,
        }
    }

    fn add(&mut self, other: Self) {
        self.undeferred = sum(self.undeferred, other.undeferred);
        self.estimated = sum(self.estimated, other.estimated);
        self.creation.add(&other.creation);
        self.waiting.add(&other.waiting);
        self.early = sum(self.early, other.early);
        self.negative = sum(self.negative, other.negative);
        self.shows_creation &= other.shows_creation;
        self.started = sum(self.started, other.started);
        self.too_deep = sum(self.too_deep, other.too_deep);
        self.execution.add(&other.execution);
        self.suspension.add(&other.suspension);
        self.idle_ns += other.idle_ns;
        self.alone_tasks = sum(self.alone_tasks, other.alone_tasks);
        self.alone_ns += other.alone_ns;
        self.alone_held_ns += other.alone_held_ns;
        self.cleanup.add(&other.cleanup);
        self.depth = sum(self.depth, other.depth);
        self.depth_max = self.depth_max.max(other.depth_max);
        self.children = sum(self.children, other.children);
        self.children_max = self.children_max.max(other.children_max);
        self.by_thread.extend(other.by_thread);
    }

    /// Mean level in the tree.
    pub(super) fn depth_mean(&self) -> f64 {
        self.depth as f64 / self.creation.count.max(1) as f64
    }

    /// Tasks that were created and never began: dropped by a cancellation, or still waiting when the process ended.
    pub(super) fn never_started(&self) -> u64 {
        self.creation.count.saturating_sub(self.started)
    }

    /// Tasks that began, and had not ended when the process did.
    pub(super) fn unfinished(&self) -> u64 {
        self.started.saturating_sub(sum(self.execution.count, self.too_deep))
    }
}

/// The constructs of a process, which has these cells, summed over its threads, the most expensive one first.
pub(super) fn constructs(cells: &[&Cell], pace: Pace, sight: Sight, resolver: &mut Resolver) -> Vec<Construct> {
    let mut found: BTreeMap<Resolved, Construct> = BTreeMap::new();
    for cell in cells {
        let resolved = resolver.resolve(cell.place.load(Relaxed));
        let more = Construct::read(cell, resolved.place.clone(), pace, sight);
        match found.get_mut(&resolved) {
            Some(construct) => construct.add(more),
            None => _ = found.insert(resolved, more),
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
