//! Model of the program's OpenMP state, built from events: threads, regions, tasks and mutexes, each identified by
//! the number in its data word or by its wait id.

mod loops;
mod mutex;
mod region;
mod task;
mod thread;

use std::collections::TryReserveError;

use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use loops::{Loop, Loops};
pub(crate) use mutex::Mutex;
pub(crate) use region::{Group, Region, Single};
pub(crate) use task::{Progress, Scope, Task};
pub(crate) use thread::Thread;

use crate::constants::task::UNTIED;
use crate::data_word::{Kind, number};

/// The whole model. Ended threads, regions and tasks are removed.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) threads: FxHashMap<u64, Thread>,
    pub(crate) regions: FxHashMap<u64, Region>,
    pub(crate) tasks: FxHashMap<u64, Task>,
    pub(crate) groups: FxHashMap<u64, Group>,
    pub(crate) mutexes: FxHashMap<u64, Mutex>,
    /// The first thread that was reported.
    pub(crate) first: Option<u64>,
    /// True if another thread has ever been in a critical region.
    pub(crate) criticals_of_others: bool,
    /// True if a taskgroup was ever cancelled.
    pub(crate) cancels_groups: bool,
    /// Untied tasks that have ended.
    untied: FxHashSet<u64>,
    last: u32,
}

impl Model {
    /// Reserves memory for the state that an event adds to collections that may have become large. (An event that
    /// drops hundreds of thousands of tasks may need more.)
    pub(crate) fn make_room(&mut self) -> Result<(), TryReserveError> {
        const MAX_LEVELS: usize = 4;
        self.threads.try_reserve(MAX_LEVELS)?;
        self.regions.try_reserve(MAX_LEVELS)?;
        self.tasks.try_reserve(MAX_LEVELS)?;
        self.groups.try_reserve(MAX_LEVELS)?;
        self.mutexes.try_reserve(MAX_LEVELS)?;
        self.untied.try_reserve(MAX_LEVELS)
    }

    /// The next number for a new thread, region or task.
    pub(crate) fn next(&mut self, kind: Kind) -> u64 {
        self.last = self.last.wrapping_add(1);
        number(kind, self.last)
    }

    /// The state of a thread; created at its first event.
    pub(crate) fn thread(&mut self, number: u64) -> &mut Thread {
        self.threads.entry(number).or_default()
    }

    /// The task that a thread runs.
    pub(crate) fn current(&self, thread: u64) -> Option<u64> {
        self.threads.get(&thread)?.current
    }

    /// The task that a thread runs, with its number.
    pub(crate) fn current_task(&self, thread: u64) -> Option<(u64, &Task)> {
        let current = self.current(thread)?;
        Some((current, self.tasks.get(&current)?))
    }

    /// The region of a task, with its number.
    pub(crate) fn region_of(&self, task: u64) -> Option<(u64, &Region)> {
        let region = self.tasks.get(&task)?.region?;
        Some((region, self.regions.get(&region)?))
    }

    /// True if a task is or was untied.
    pub(crate) fn is_untied(&self, task: u64) -> bool {
        self.untied.contains(&task) || self.tasks.get(&task).is_some_and(|task| task.flags & UNTIED != 0)
    }

    /// True if a task is executed in a target region on the host device: it descends from an initial task inside
    /// another task.
    pub(crate) fn is_in_target(&self, task: u64) -> bool {
        let mut next = Some(task);
        while let Some(task) = next.and_then(|number| self.tasks.get(&number)) {
            if task.is_outermost() && task.resumes.is_some() {
                return true;
            }
            next = task.parent;
        }
        false
    }

    /// True if a thread is alone in its team.
    pub(crate) fn is_alone(&self, thread: u64) -> bool {
        let Some(current) = self.current(thread) else { return false };
        let own = |region| self.regions.get(&region).is_none_or(|region: &Region| region.actual == Some(1));
        self.tasks.get(&current).is_none_or(|task| task.region.is_none_or(own))
    }

    /// True if the data words and numbers of a region's members are unreliable.
    pub(crate) fn is_loose(&self, region: u64) -> bool {
        self.regions.get(&region).is_some_and(|region| region.loose)
    }

    /// True if a task may be dropped without being run: its region or a taskgroup around it was cancelled.
    pub(crate) fn may_be_dropped(&self, task: &Task) -> bool {
        let in_region = task.region.and_then(|region| self.regions.get(&region)).is_some_and(|region| region.cancelled);
        in_region || self.cancels_groups && self.groups_around(task.group).any(|group| group.cancelled)
    }

    /// A taskgroup and its enclosing ones, innermost first.
    pub(crate) fn groups_around(&self, innermost: Option<u64>) -> impl Iterator<Item = &Group> {
        let mut next = innermost;
        std::iter::from_fn(move || {
            let group = self.groups.get(&next?)?;
            next = group.outer;
            Some(group)
        })
    }

    /// Counts a new task in its taskgroup, and a taskgroup that has its first one in the enclosing taskgroup.
    pub(crate) fn count_in_group(&mut self, innermost: Option<u64>) {
        let mut next = innermost;
        while let Some(group) = next.and_then(|group| self.groups.get_mut(&group)) {
            group.inside += 1;
            next = group.outer.filter(|_| !group.is_counted);
            group.is_counted = true;
        }
    }

    /// Removes a taskgroup that has ended.
    pub(crate) fn end_group(&mut self, number: u64) {
        let ended = self.groups.remove(&number).filter(|group| group.is_counted);
        if let Some(outer) = ended.and_then(|group| self.groups.get_mut(&group.outer?)) {
            outer.inside = outer.inside.saturating_sub(1);
        }
    }

    /// Removes a task that has ended, and decrements the counts of the tasks and taskgroups that wait for it.
    pub(crate) fn end_task(&mut self, number: u64) -> Option<Task> {
        let task = self.tasks.remove(&number)?;
        if task.flags & UNTIED != 0 {
            self.untied.insert(number);
        }
        if let Some(parent) = task.parent.and_then(|parent| self.tasks.get_mut(&parent)) {
            parent.children = parent.children.saturating_sub(1);
            if parent.waits_for == Some(number) {
                parent.waits_for = None;
            }
        }
        if let Some(group) = task.group.and_then(|group| self.groups.get_mut(&group)) {
            group.inside = group.inside.saturating_sub(1);
        }
        if let Some(region) =
            task.region.and_then(|region| self.regions.get_mut(&region)).filter(|_| task.is_explicit())
        {
            region.forget_task(task.epoch);
        }
        Some(task)
    }
}
