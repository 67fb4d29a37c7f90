//! Creation of a region's explicit tasks: the threads that create them, and the time that they need for it.

use rustc_hash::{FxHashMap, FxHashSet};
use untrusted::figure;

use crate::ancestry::Ancestry;
use crate::task::implicit_key;
use crate::{Thread, Timeline, What};

/// Creation of the tasks of one region.
#[derive(Debug, Default)]
pub(crate) struct Creation {
    threads: FxHashSet<u32>,
    /// Time of the first one, and of the last one.
    first_ns: u64,
    last_ns: u64,
    /// Time from the first one to the last one that threads spent in tasks that create some, without waits. A runtime whose queue is full
    /// executes a new task at once: that time is not the creation's.
    pub(crate) creating_ns: u64,
}

impl Creation {
    /// The number of threads that created tasks.
    pub(crate) fn creators(&self) -> usize {
        self.threads.len()
    }

    /// Adds a part of a creator's time.
    fn add(&mut self, begin_ns: u64, end_ns: u64) {
        let part_ns = end_ns.min(self.last_ns).saturating_sub(begin_ns.max(self.first_ns));
        self.creating_ns = figure::sum(self.creating_ns, part_ns);
    }
}

/// The regions with tasks, by id.
pub(crate) fn of(timeline: &Timeline) -> FxHashMap<u64, Creation> {
    let ancestry = Ancestry::of(timeline);
    let mut found: FxHashMap<u64, Creation> = FxHashMap::default();
    // The region of each task that creates others, by its key.
    let mut creating: FxHashMap<u64, u64> = FxHashMap::default();
    for task in timeline.tasks.iter().filter(|task| task.created_ns > 0) {
        let Some(region) = ancestry.region(task) else { continue };
        let creation = found.entry(region).or_default();
        if creation.threads.is_empty() {
            creation.first_ns = task.created_ns;
        }
        creation.threads.insert(task.creator);
        creation.first_ns = creation.first_ns.min(task.created_ns);
        creation.last_ns = creation.last_ns.max(task.created_ns);
        creating.insert(task.parent, region);
    }
    if !found.is_empty() {
        (0..).zip(&timeline.threads).for_each(|(index, thread)| add_times(index, thread, &creating, &mut found));
    }
    found
}

/// Adds the time that a thread spent in tasks that create others, to these tasks' regions.
fn add_times(index: u32, thread: &Thread, creating: &FxHashMap<u64, u64>, found: &mut FxHashMap<u64, Creation>) {
    let mut add = |region: Option<u64>, begin_ns, end_ns| {
        region.and_then(|region| found.get_mut(&region)).into_iter().for_each(|it| it.add(begin_ns, end_ns));
    };
    let mut implicit = 0;
    // End of each open slice, and the region that its task creates tasks of.
    let mut open: Vec<(u64, Option<u64>)> = Vec::new();
    let mut since_ns = 0;
    for slice in thread.slices.iter().filter(|slice| !slice.is_apart) {
        let region = match slice.what {
            What::Implicit => {
                implicit += 1;
                creating.get(&implicit_key(index, implicit)).copied()
            }
            What::Task => creating.get(&slice.id).copied(),
            What::Wait(_) | What::MutexWait(_) => None,
            _ => continue,
        };
        while let Some((end_ns, region)) = open.pop_if(|(end_ns, _)| *end_ns <= slice.begin_ns) {
            add(region, since_ns, end_ns);
            since_ns = since_ns.max(end_ns);
        }
        if let Some((_, region)) = open.last() {
            add(*region, since_ns, slice.begin_ns);
        }
        since_ns = slice.begin_ns;
        open.push((slice.end_ns, region));
    }
    while let Some((end_ns, region)) = open.pop() {
        add(region, since_ns, end_ns);
        since_ns = since_ns.max(end_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Region, Slice, Task};

    const REGION: u64 = 1;

    fn slice(what: What, id: u64, begin_ns: u64, end_ns: u64) -> Slice {
        Slice { begin_ns, end_ns, code: 0, id, busy_ns: 0, number: 0, depth: 0, what, is_apart: false }
    }

    /// An implicit task that creates tasks at these times, by number from 1, each by the task with a key.
    fn creation(slices: &[Slice], tasks: &[(u64, u64)]) -> (usize, u64) {
        let implicit = slice(What::Implicit, REGION, 0, 1000);
        let slices = [&[implicit], slices].concat();
        let task = |(id, (parent, created_ns)): (u64, &(u64, u64))| Task {
            id,
            parent: *parent,
            created_ns: *created_ns,
            ..Task::default()
        };
        let mut timeline = Timeline {
            threads: vec![Thread { kind: 1, end_ns: 1000, slices, ..Thread::default() }],
            regions: vec![Region { id: REGION, ..Region::default() }],
            tasks: (1..).zip(tasks).map(task).collect(),
            ..Timeline::default()
        };
        for (index, task) in (0..).zip(&timeline.tasks) {
            timeline.task_index.get_or_insert(task.id, index);
        }
        let creation = &of(&timeline)[&REGION];
        (creation.creators(), creation.creating_ns)
    }

    #[test]
    fn tasks_that_the_creator_executes_meanwhile_are_no_creation() {
        let implicit = implicit_key(0, 1);
        let created = [(implicit, 100), (implicit, 200), (implicit, 900)];
        assert_eq!(creation(&[], &created), (1, 800));
        let executed = [
            slice(What::Task, 2, 210, 610),
            slice(What::MutexWait(5), 0, 300, 400),
            slice(What::Wait(5), 0, 650, 750),
            slice(What::Task, 1, 660, 700),
            slice(What::Wait(9), 0, 910, 1000),
            slice(What::Task, 3, 920, 990),
        ];
        assert_eq!(creation(&executed, &created), (1, 300));
    }

    #[test]
    fn a_task_that_creates_others_counts() {
        let created = [(implicit_key(0, 1), 100), (1, 300), (1, 500)];
        let executed =
            [slice(What::Wait(9), 0, 110, 1000), slice(What::Task, 1, 200, 700), slice(What::Task, 2, 320, 400)];
        assert_eq!(creation(&executed, &created), (1, 10 + 120 + 100));
    }
}
