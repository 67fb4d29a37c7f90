//! Causes of waits: which thread another one has waited for.

use rustc_hash::FxHashMap;

use crate::kinds::is_barrier;
use crate::{Slice, Timeline, What};

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

/// Records about the ends of waits.
#[derive(Debug)]
pub struct Causes {
    /// Last arrival at each barrier of a region: time and thread.
    arrivals: FxHashMap<(u64, u32), (u64, u32)>,
    /// Holders of each mutex, ordered by start: start, end, thread, slice.
    holders: FxHashMap<u64, Vec<Holder>>,
    /// Ended tasks of each creator, ordered by end.
    tasks: FxHashMap<u64, Vec<(u64, u64)>>,
}

#[derive(Clone, Copy, Debug)]
struct Holder {
    begin_ns: u64,
    end_ns: u64,
    thread: u32,
    slice: u32,
}

impl Causes {
    /// Collects what ended the waits of a process.
    pub fn of(timeline: &Timeline) -> Self {
        let mut causes =
            Self { arrivals: FxHashMap::default(), holders: FxHashMap::default(), tasks: FxHashMap::default() };
        for (thread, slice, it) in slices(timeline) {
            match it.what {
                What::Wait(kind) if is_barrier(kind) && it.number > 0 => {
                    let last = causes.arrivals.entry((it.id, it.number)).or_default();
                    *last = (*last).max((it.begin_ns, thread));
                }
                What::Mutex(_) => {
                    let holder = Holder { begin_ns: it.begin_ns, end_ns: it.end_ns, thread, slice };
                    causes.holders.entry(it.id).or_default().push(holder);
                }
                _ => {}
            }
        }
        causes.holders.values_mut().for_each(|holders| holders.sort_unstable_by_key(|holder| holder.begin_ns));
        for task in timeline.tasks.iter().filter(|task| task.ended_ns > 0) {
            causes.tasks.entry(task.parent).or_default().push((task.ended_ns, task.id));
        }
        causes.tasks.values_mut().for_each(|tasks| tasks.sort_unstable());
        causes
    }

    /// The other side of a thread's wait.
    pub fn cause(&self, thread: u32, wait: &Slice) -> Option<Cause> {
        match wait.what {
            What::MutexWait(_) => self.holder(thread, wait),
            What::Wait(kind) if is_barrier(kind) => {
                let (at_ns, last) = *self.arrivals.get(&(wait.id, wait.number))?;
                (last != thread).then_some(Cause::LastArrival { thread: last, at_ns })
            }
            What::Wait(_) => {
                let tasks = self.tasks.get(&wait.id)?;
                let behind = tasks.partition_point(|(ended_ns, _)| *ended_ns <= wait.end_ns);
                let (ended_ns, task) = *tasks.get(behind.checked_sub(1)?)?;
                (ended_ns >= wait.begin_ns).then_some(Cause::LastTask { task })
            }
            _ => None,
        }
    }

    /// Holder of the mutex that a thread has waited for: the last one of those that had it during the wait.
    fn holder(&self, thread: u32, wait: &Slice) -> Option<Cause> {
        /// Number of the last holders that are checked.
        const LOOKED_AT: usize = 64;
        let holders = self.holders.get(&wait.id)?;
        let behind = holders.partition_point(|holder| holder.begin_ns < wait.end_ns);
        let last = holders.get(..behind)?.iter().rev().take(LOOKED_AT);
        let found = last.into_iter().find(|holder| holder.thread != thread && holder.end_ns >= wait.begin_ns)?;
        Some(Cause::Holder { thread: found.thread, slice: found.slice })
    }
}

/// All slices, with the index of their thread and their own.
pub(crate) fn slices(timeline: &Timeline) -> impl Iterator<Item = (u32, u32, &Slice)> {
    (0..)
        .zip(&timeline.threads)
        .flat_map(|(thread, it)| (0..).zip(&it.slices).map(move |(slice, it)| (thread, slice, it)))
}

/// The longest waits of a process, without those of workers at the end of regions for which no thread is late.
pub fn longest(timeline: &Timeline, causes: &Causes, most: usize) -> Vec<Wait> {
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
