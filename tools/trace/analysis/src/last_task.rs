//! The task that a wait was for: the last to end of those that it needs, on another thread than the one that waits.

use trace_format::task_flag;

use crate::ancestry::Ancestry;
use crate::kinds;
use crate::{Slice, Task, Timeline, What};

/// Number of the last tasks that are checked.
const LOOKED_AT: usize = 4096;

/// Tasks that have ended.
#[derive(Debug)]
pub(crate) struct LastTask<'t> {
    timeline: &'t Timeline,
    ancestry: Ancestry<'t>,
    /// Their indices, by the time of their end.
    by_end: Vec<u32>,
    /// Their indices, by the task that created them, then by the time of their end.
    by_parent: Vec<u32>,
    /// Tasks, each with one of its predecessors, if there are waits for these.
    predecessors: Vec<(u64, u64)>,
}

impl<'t> LastTask<'t> {
    pub(crate) fn of(timeline: &'t Timeline) -> Self {
        let ended = (0..).zip(&timeline.tasks).filter(|(_, task)| task.ended_ns > 0);
        let mut by_end: Vec<u32> = ended.map(|(index, _)| index).collect();
        let mut by_parent = by_end.clone();
        let key = |index: &u32| task(timeline, *index).map(|task| (task.ended_ns, task.id));
        by_end.sort_by_key(key);
        by_parent.sort_by_key(|index| (task(timeline, *index).map(|task| task.parent), key(index)));
        let mut slices = timeline.threads.iter().flat_map(|thread| &thread.slices);
        let has_waits = slices.any(|slice| slice.what == What::Wait(kinds::DEPENDENCES));
        let dependences = timeline.dependences.iter().filter(|_| has_waits);
        let mut predecessors: Vec<(u64, u64)> = dependences.map(|(predecessor, task)| (*task, *predecessor)).collect();
        predecessors.sort_unstable();
        Self { timeline, ancestry: Ancestry::of(timeline), by_end, by_parent, predecessors }
    }

    /// The task that a taskwait was for: a child of the task that waits.
    pub(crate) fn child(&self, thread: u32, wait: &Slice) -> Option<&'t Task> {
        let key = (wait.id, wait.end_ns);
        let later = self.by_parent.partition_point(|index| {
            task(self.timeline, *index).is_some_and(|task| (task.parent, task.ended_ns) <= key)
        });
        let earlier = self.by_parent.get(..later)?.iter().rev().map_while(|index| task(self.timeline, *index));
        let mut children = earlier.take_while(|task| task.parent == wait.id && task.ended_ns >= wait.begin_ns);
        children.find(|task| task.last.0 != thread)
    }

    /// The task that the end of a taskgroup was for: a descendant of the task that waits, created in the group.
    pub(crate) fn of_group(&self, thread: u32, wait: &Slice) -> Option<&'t Task> {
        let since_ns = self.group_begin_ns(thread, wait)?;
        let created_in = |child: &Task| (since_ns..=wait.begin_ns).contains(&child.created_ns);
        self.ended_in(thread, wait.begin_ns, wait.end_ns)
            .find(|task| self.ancestry.child(wait.id, task).is_some_and(created_in))
    }

    /// The last task of a region that ended in a part of the time.
    pub(crate) fn of_region(&self, thread: u32, region: u64, begin_ns: u64, end_ns: u64) -> Option<&'t Task> {
        self.ended_in(thread, begin_ns, end_ns).find(|task| self.ancestry.region(task) == Some(region))
    }

    /// The task that a wait for dependences was for: a predecessor of the task that stands for the wait.
    pub(crate) fn predecessor(&self, thread: u32, wait: &Slice) -> Option<&'t Task> {
        let first = self.predecessors.partition_point(|(task, _)| *task < wait.id);
        let of_wait = self.predecessors.iter().skip(first).take_while(|(task, _)| *task == wait.id);
        let before = of_wait.filter_map(|(_, predecessor)| self.timeline.task(*predecessor));
        let ended = before.filter(|task| task.last.0 != thread && task.flags & task_flag::TASKWAIT == 0);
        ended.filter(|task| (wait.begin_ns..=wait.end_ns).contains(&task.ended_ns)).max_by_key(|task| task.ended_ns)
    }

    /// Tasks that ended on other threads in a part of the time, the last one first.
    fn ended_in(&self, thread: u32, begin_ns: u64, end_ns: u64) -> impl Iterator<Item = &'t Task> {
        let timeline = self.timeline;
        let is_before = |index: &u32| task(timeline, *index).is_some_and(|task| task.ended_ns <= end_ns);
        let later = self.by_end.partition_point(is_before);
        let earlier = self.by_end.get(..later).unwrap_or_default().iter().rev().take(LOOKED_AT);
        let ended = earlier.map_while(move |index| task(timeline, *index).filter(|task| task.ended_ns >= begin_ns));
        ended.filter(move |task| task.last.0 != thread)
    }

    /// Start of the taskgroup whose end is the wait.
    fn group_begin_ns(&self, thread: u32, wait: &Slice) -> Option<u64> {
        let slices = &self.timeline.threads.get(thread as usize)?.slices;
        let later = slices.partition_point(|slice| slice.begin_ns <= wait.begin_ns);
        let mut before = slices.get(..later)?.iter().rev();
        before.find(|slice| slice.what == What::Group && slice.end_ns >= wait.end_ns).map(|group| group.begin_ns)
    }
}

fn task(timeline: &Timeline, index: u32) -> Option<&Task> {
    timeline.tasks.get(index as usize)
}
