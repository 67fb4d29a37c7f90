//! Causes of waits: which thread another one has waited for.

use crate::kinds::{self, is_barrier};
use crate::last_task::LastTask;
use crate::{Slice, Task, Timeline, What};

/// A wait with its other side, which ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Index of the thread that waits.
    pub thread: u32,
    /// Index of the slice among that thread's slices.
    pub slice: u32,
    /// Time without tasks that the thread executed meanwhile, in nanoseconds.
    pub idle_ns: u64,
    /// The other side of the wait, if that is known.
    pub cause: Option<Cause>,
}

/// The other side of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The last thread of the team reached the barrier at `at_ns`.
    LastArrival {
        /// Index of that thread.
        thread: u32,
        /// Time at which it arrived.
        at_ns: u64,
    },
    /// Another thread had the mutex.
    Holder {
        /// Index of that thread.
        thread: u32,
        /// Index of the slice in which it had the mutex.
        slice: u32,
    },
    /// A task that was waited for ended last.
    LastTask {
        /// Id of the task.
        task: u64,
    },
}

/// Records about the ends of waits. Sorted lists, because a process may have as many mutexes and creators as it has events.
#[derive(Debug)]
pub struct Causes<'t> {
    /// Last arrivals at barriers.
    arrivals: Vec<Arrival>,
    /// Holders of mutexes.
    holders: Vec<Holder>,
    /// Ended tasks.
    tasks: LastTask<'t>,
}

/// Arrival of a thread at a barrier, in the order of the barriers, then of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival {
    region: u64,
    /// Number of the barrier in the implicit task.
    number: u32,
    at_ns: u64,
    thread: u32,
}

impl Arrival {
    fn barrier(&self) -> (u64, u32) {
        (self.region, self.number)
    }
}

/// Slice in which a thread had a mutex, in the order of the mutexes, then of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Holder {
    mutex: u64,
    begin_ns: u64,
    end_ns: u64,
    thread: u32,
    slice: u32,
}

impl<'t> Causes<'t> {
    /// Collects what ended the waits of a process.
    pub fn of(timeline: &'t Timeline) -> Self {
        let mut causes = Self { arrivals: Vec::new(), holders: Vec::new(), tasks: LastTask::of(timeline) };
        for (thread, slice, it) in slices(timeline) {
            match it.what {
                What::Wait(kind) if is_barrier(kind) && it.number > 0 => {
                    causes.arrivals.push(Arrival { region: it.id, number: it.number, at_ns: it.begin_ns, thread });
                }
                What::Mutex(_) => {
                    let (mutex, begin_ns, end_ns) = (it.id, it.begin_ns, it.end_ns);
                    causes.holders.push(Holder { mutex, begin_ns, end_ns, thread, slice });
                }
                _ => {}
            }
        }
        // The stable sort takes advantage of what is already in order: each thread's barriers.
        causes.arrivals.sort();
        // The last one of each barrier is left.
        causes.arrivals.dedup_by(|next, last| {
            let is_same = next.barrier() == last.barrier();
            if is_same {
                *last = *next;
            }
            is_same
        });
        causes.holders.sort();
        causes
    }

    /// The other side of a thread's wait.
    pub fn cause(&self, thread: u32, wait: &Slice) -> Option<Cause> {
        match wait.what {
            What::MutexWait(_) => self.holder(thread, wait),
            What::Wait(kind) if is_barrier(kind) => self.last_at_barrier(thread, wait),
            What::Wait(kinds::TASKWAIT) => self.tasks.child(thread, wait).map(last_task),
            What::Wait(kinds::TASKGROUP) => self.tasks.of_group(thread, wait).map(last_task),
            What::Wait(kinds::DEPENDENCES) => self.tasks.predecessor(thread, wait).map(last_task),
            _ => None,
        }
    }

    /// The last thread to arrive at a barrier, or the last task of the region to end, if that ran for most of the wait. `None` if the
    /// wait was for many tasks.
    fn last_at_barrier(&self, thread: u32, wait: &Slice) -> Option<Cause> {
        let barrier = (wait.id, wait.number);
        let place = self.arrivals.binary_search_by_key(&barrier, Arrival::barrier).ok()?;
        let last = self.arrivals.get(place)?;
        let later_ns = last.at_ns.saturating_add(1);
        if let Some(task) = self.tasks.of_region(thread, wait.id, later_ns, wait.end_ns) {
            let after_ns = task.ended_ns.saturating_sub(last.at_ns);
            // One that ran when the last thread arrived would have ended as late without that. Others may run only because it has.
            let is_later = task.begun_ns <= last.at_ns || after_ns > wait.length_ns() / 2;
            if is_later && task.ended_ns.saturating_sub(task.begun_ns.max(wait.begin_ns)) > wait.idle_ns() / 2 {
                return Some(last_task(task));
            }
            if after_ns > wait.length_ns() / 2 {
                return None;
            }
        }
        (last.thread != thread).then_some(Cause::LastArrival { thread: last.thread, at_ns: last.at_ns })
    }

    /// Holder of the mutex that a thread has waited for: the last one of those that had it during the wait.
    fn holder(&self, thread: u32, wait: &Slice) -> Option<Cause> {
        /// Number of the last holders that are checked.
        const LOOKED_AT: usize = 64;
        let is_before = |holder: &Holder| (holder.mutex, holder.begin_ns) < (wait.id, wait.end_ns);
        let later = self.holders.partition_point(is_before);
        let of_mutex = self.holders.get(..later)?.iter().rev().take_while(|holder| holder.mutex == wait.id);
        let last = of_mutex.take(LOOKED_AT);
        let found = last.into_iter().find(|holder| holder.thread != thread && holder.end_ns >= wait.begin_ns)?;
        Some(Cause::Holder { thread: found.thread, slice: found.slice })
    }
}

fn last_task(task: &Task) -> Cause {
    Cause::LastTask { task: task.id }
}

/// All slices, with the index of their thread and their own.
pub(crate) fn slices(timeline: &Timeline) -> impl Iterator<Item = (u32, u32, &Slice)> {
    (0..)
        .zip(&timeline.threads)
        .flat_map(|(thread, it)| (0..).zip(&it.slices).map(move |(slice, it)| (thread, slice, it)))
}

/// The longest waits of a process, without those of workers at the end of regions for which no thread is late.
pub fn longest(timeline: &Timeline, causes: &Causes<'_>, most: usize) -> Vec<Wait> {
    let shown = slices(timeline).filter(|(_, _, it)| it.is_wait() && timeline.is_shown(it));
    let mut waits: Vec<(u64, u32, u32)> = shown.map(|(thread, slice, it)| (it.idle_ns(), thread, slice)).collect();
    let order = |a: &(u64, u32, u32), b: &(u64, u32, u32)| b.cmp(a);
    if waits.len() > most && most > 0 {
        waits.select_nth_unstable_by(most - 1, order);
    }
    waits.truncate(most);
    waits.sort_unstable_by(order);
    let wait = |(idle_ns, thread, slice): (u64, u32, u32)| {
        let it = timeline.slice(thread, slice)?;
        Some(Wait { thread, slice, idle_ns, cause: causes.cause(thread, it) })
    };
    waits.into_iter().filter_map(wait).collect()
}
