//! Shares of a region's work: by thread, from one barrier to the next.

use crate::cause::slices;
use crate::{Slice, Timeline, What};

/// A thread's share of a phase: its activity until it reached a barrier of its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// The region.
    pub(crate) region: u64,
    /// Number of the phase in the implicit task.
    pub(crate) phase: u32,
    /// Index of the thread.
    pub(crate) thread: u32,
    /// Time for which it did not wait, including tasks that it executed in the barrier.
    pub(crate) busy_ns: u64,
    /// The part of that in regions nested in this one. The thread's shares of those say how much of it is work.
    pub(crate) nested_ns: u64,
    /// Time for which it waited for anything other than the barrier.
    pub(crate) waits_ns: u64,
    /// Time for which it waited at the barrier, without these tasks.
    pub(crate) idle_ns: u64,
    /// Number of tasks that it started.
    pub(crate) tasks: u64,
}

/// An implicit task that isn't over at the current slice.
#[derive(Debug)]
struct Open {
    end_ns: u64,
    /// Start of the phase: of the task, or the end of the last barrier.
    since_ns: u64,
    /// Waits in the phase for anything other than the barrier.
    waits_ns: u64,
    share: Share,
    /// Index of the last share, which has reached a barrier.
    came: Option<usize>,
}

/// All shares, with those of one phase next to each other.
pub(crate) fn of(timeline: &Timeline) -> Vec<Share> {
    let mut found: Vec<Share> = Vec::new();
    let mut around: Vec<Open> = Vec::new();
    let mut last = None;
    for (thread, index, slice) in slices(timeline) {
        if last != Some(thread) {
            around.clear();
            last = Some(thread);
        }
        while around.last().is_some_and(|open| open.is_over_at(slice)) {
            around.pop();
        }
        match slice.what {
            What::Implicit => {
                if let Some(open) = around.last_mut() {
                    let nested_ns = &mut open.share_at(slice, &mut found).nested_ns;
                    *nested_ns = nested_ns.saturating_add(slice.length_ns());
                }
                around.push(Open::new(thread, slice));
            }
            What::Task => {
                let begins = timeline.task(slice.id).is_some_and(|task| task.first == (thread, index));
                let Some(open) = around.last_mut() else { continue };
                open.share_at(slice, &mut found).tasks += u64::from(begins);
            }
            What::Wait(_) | What::MutexWait(_) => {
                let Some(open) = around.last_mut() else { continue };
                if slice.is_barrier() && slice.id == open.share.region {
                    open.came = Some(found.len());
                    found.push(open.arrive(timeline, slice));
                } else {
                    open.waits_ns = open.waits_ns.saturating_add(slice.idle_ns());
                }
            }
            _ => {}
        }
    }
    // Stable, because it takes advantage of each thread's order.
    found.sort_by_key(|share| (share.region, share.phase, share.thread));
    found
}

impl Open {
    fn new(thread: u32, task: &Slice) -> Self {
        let share =
            Share { region: task.id, phase: 0, thread, busy_ns: 0, nested_ns: 0, waits_ns: 0, idle_ns: 0, tasks: 0 };
        Self { end_ns: task.end_ns, since_ns: task.begin_ns, waits_ns: 0, share, came: None }
    }

    /// True if the task has ended before a slice. A last barrier that takes no time begins with the task's end.
    fn is_over_at(&self, slice: &Slice) -> bool {
        let is_last = slice.is_barrier() && slice.id == self.share.region;
        slice.begin_ns > self.end_ns || slice.begin_ns == self.end_ns && !is_last
    }

    /// The share that a slice is part of: in a barrier it is the one that has reached it.
    fn share_at<'s>(&'s mut self, slice: &Slice, found: &'s mut [Share]) -> &'s mut Share {
        let came = self.came.filter(|_| slice.begin_ns < self.since_ns).and_then(|at| found.get_mut(at));
        came.unwrap_or(&mut self.share)
    }

    /// The share that ends at this barrier.
    fn arrive(&mut self, timeline: &Timeline, barrier: &Slice) -> Share {
        let ran_ns = barrier.begin_ns.saturating_sub(self.since_ns).saturating_sub(self.waits_ns);
        // A worker reports the last barrier's end when it wakes for the next region.
        let region = timeline.region(barrier.id).filter(|region| region.is_over);
        let over_ns = region.map_or(u64::MAX, |region| region.end_ns.max(barrier.begin_ns));
        let waited_ns = barrier.end_ns.min(over_ns).saturating_sub(barrier.begin_ns);
        let share = Share {
            busy_ns: ran_ns.saturating_add(barrier.busy_ns),
            waits_ns: self.waits_ns,
            idle_ns: waited_ns.saturating_sub(barrier.busy_ns),
            ..self.share
        };
        self.share.phase += 1;
        (self.share.tasks, self.share.nested_ns) = (0, 0);
        (self.since_ns, self.waits_ns) = (barrier.end_ns, 0);
        share
    }
}
