//! Layout of the memory that `ora tasks` and its collector share: plain atomics at fixed places, valid when all zero.
//!
//! Each slot and cell has one writer, the thread that claimed it, so relaxed loads and stores are enough; `ora` reads
//! after the writers have ended. Times are in ticks ([`crate::ticks`]). Unsafe: the promise that it may be shared.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

pub use super::histogram::Histogram;
use super::histogram::{COARSE, FINE};
pub use super::median::Median;
use super::sampling::Sampling;
pub use super::sampling::{EACH, RARELY};
use super::shown::Shown;
pub use super::spread::Spread;
use crate::area::Shared;
use crate::loaded::{LoadedObjects, SharedTables};
use crate::process_table::ProcessTable;

/// Capacity of the table of threads, over all processes.
pub const THREADS: usize = 4096;
/// From this many threads on, new ones continue the slot of one that has ended.
pub const MAX_UNSHARED_ROWS: u32 = 512;
/// Capacity of the table of cells: pairs of a thread and a place in the program.
pub const CELLS: usize = 12288;
/// Number of levels of the tree that are distinguished; the last one also includes all deeper ones.
pub const LEVELS: usize = 64;

/// All of the shared memory, except the list of instances after it.
#[repr(C)]
#[derive(Debug)]
pub struct TasksArea {
    /// Its creator, and the processes.
    pub process_table: ProcessTable,
    /// Counters of what is in use.
    pub settings: Settings,
    /// The objects that the places lie in.
    pub objects: LoadedObjects,
    threads: [TaskThreadSlot; THREADS],
    cells: [Cell; CELLS],
}

/// Counters.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Settings {
    /// Number of cells claimed, including those beyond [`CELLS`].
    pub cells: AtomicU32,
    /// Number of instances claimed, including those beyond the end of the list.
    pub instances: AtomicU32,
}

/// One thread. A slot may serve several threads in turn, see [`MAX_UNSHARED_ROWS`].
#[repr(C, align(64))]
#[derive(Debug)]
pub struct TaskThreadSlot {
    /// The process slot it belongs to, plus one; 0 if not in use.
    pub owner: AtomicU32,
    /// The thread's number in the kernel.
    pub tid: AtomicU32,
    /// Number of threads that used this slot.
    pub turns: AtomicU32,
    /// The next slot in the list of free ones, which only the process itself uses.
    pub next_free: AtomicU32,
    /// Tasks that it created.
    pub created: AtomicU64,
    /// Tasks that it executed to their end.
    pub executed: AtomicU64,
    /// Time in their bodies.
    pub execution: AtomicU64,
    /// Time in creations, except those of chunks of taskloops.
    pub creation: AtomicU64,
    /// Time in suspensions in which it ran no other task.
    pub idle: AtomicU64,
    /// Tasks whose creation could not be remembered: they lack their waiting time and their place.
    pub forgotten: AtomicU64,
    /// Executions for which the system refused memory: they were nested deep.
    pub too_deep: AtomicU64,
    /// The explicit task in which it creates one, or has created the last one. 0: an implicit or initial task.
    pub creating_in: AtomicU64,
    /// The level of that new task.
    pub creating_level: AtomicU32,
    /// Time in the callbacks that do more than note the time.
    pub own: AtomicU64,
    /// Time since when it has neither executed nor created a task; the largest number while it does.
    pub free_since: AtomicU64,
    /// Events that it has had.
    pub events: AtomicU64,
    /// Time of a request, in ticks; the path to an event through runtime adapter and library is about as long.
    pub request: Median,
    /// Times from the end of a task, or the start of a wait, to the next task that this thread took from the pool.
    pub fetches: Histogram<FINE>,
    /// By the task's distance from the implicit task above it, minus one.
    pub levels: [Level; LEVELS],
}

/// Tasks on one level of the tree.
#[repr(C)]
#[derive(Debug)]
pub struct Level {
    /// Number of tasks that this thread created.
    pub created: AtomicU64,
    /// Time of these creations.
    pub creation: AtomicU64,
    /// Number of tasks that it executed.
    pub executed: AtomicU64,
    /// Time in their bodies.
    pub execution: AtomicU64,
    /// Distribution of that time.
    pub executions: Histogram<COARSE>,
}

/// Sums of one thread over the tasks of one place.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Cell {
    /// The thread slot it belongs to, plus one; 0 if not in use.
    pub owner: AtomicU32,
    /// Number of undeferred tasks that it created.
    pub undeferred: AtomicU32,
    /// The return address of the call that creates these tasks, or one of [`crate::loaded::place`].
    pub place: AtomicU64,
    /// Number of these that were chunks of a taskloop.
    pub chunks: AtomicU64,
    /// Creations. For most undeferred tasks on libgomp, the time is an estimate.
    pub creation: Spread,
    /// For undeferred tasks: which creations are measured.
    pub sampling: Sampling,
    /// For the same tasks: how much of what watching adds shows in their times.
    pub shown: Shown,
    /// Time in the pool, of those that it executed.
    pub waiting: Spread,
    /// Number of these times that do not exist: execution began before the creation had ended.
    pub early: AtomicU64,
    /// Number of these times that came out negative, and count as 0.
    pub negative: AtomicU64,
    /// Number of tasks that it began to execute.
    pub started: AtomicU64,
    /// Number of those that were not timed: see [`TaskThreadSlot::too_deep`].
    pub too_deep: AtomicU64,
    /// Time in the bodies: without suspensions, creations, and other tasks run meanwhile.
    pub execution: Spread,
    /// Time suspended, of those that were.
    pub suspension: Spread,
    /// Time of that in which the thread ran no other task.
    pub idle: AtomicU64,
    /// Number of those that ran long while no other thread had a task.
    pub alone_tasks: AtomicU64,
    /// The time for which they did.
    pub alone: AtomicU64,
    /// Upper bound for the part of that time without a processor, in nanoseconds.
    pub alone_held_ns: AtomicU64,
    /// Time from the end of the body to the end of the task.
    pub cleanup: Spread,
    /// Sum of their levels.
    pub depth: AtomicU64,
    /// The deepest level.
    pub depth_max: AtomicU64,
    /// Tasks that they created.
    pub children: AtomicU64,
    /// The largest number that one of them created.
    pub children_max: AtomicU64,
}

/// One task, if instances are requested.
#[repr(C)]
#[derive(Debug)]
pub struct TaskInstance {
    /// Its id; 0: not in use, or not yet.
    pub id: AtomicU64,
    /// The id of the task that created it.
    pub parent: AtomicU64,
    /// See [`Cell::place`].
    pub place: AtomicU64,
    /// Time, in ticks, at which its creation had ended.
    pub created_at: AtomicU64,
    /// Time of its creation, at least 1; 0 if that can't be seen.
    pub creation: AtomicU64,
    /// Time, in ticks, at which its execution began; 0: it did not.
    pub started_at: AtomicU64,
    /// Time in its body.
    pub execution: AtomicU64,
    /// Time suspended.
    pub suspension: AtomicU64,
    /// Time from the end of its body to its end, at least 1; 0 if not known.
    pub exit: AtomicU64,
    /// The slot of the thread that created it, plus one.
    pub creator: AtomicU32,
    /// The slot of the thread that executed it, plus one, once it has ended.
    pub executor: AtomicU32,
}

const _: () = assert!(size_of::<Settings>() == 64 && size_of::<TaskInstance>() == 80 && size_of::<Cell>() <= 3072);

// SAFETY: atomics throughout, valid when all zero.
unsafe impl Shared for TasksArea {
    type Item = TaskInstance;
    const NAME: &'static CStr = c"ora-tasks";
    const MAGIC: u64 = u64::from_le_bytes(*b"ora-task");
    const VERSION: u32 = 14;

    fn process_table(&self) -> &ProcessTable {
        &self.process_table
    }
}

impl TasksArea {
    /// The part in which a process enters its objects.
    #[inline]
    pub fn tables(&self) -> SharedTables<'_> {
        SharedTables { process_table: &self.process_table, objects: &self.objects }
    }

    /// The slot of a thread, `None` beyond the last.
    #[inline]
    pub fn thread(&self, index: u32) -> Option<&TaskThreadSlot> {
        self.threads.get(index as usize)
    }

    /// Claims a thread slot; `None` if all are taken.
    #[inline]
    pub fn claim_thread(&self) -> Option<(u32, &TaskThreadSlot)> {
        let index = self.process_table.header.threads.fetch_add(1, Relaxed);
        Some((index, self.thread(index)?))
    }

    /// The claimed thread slots, with their numbers.
    #[inline]
    pub fn thread_slots(&self) -> impl Iterator<Item = (u32, &TaskThreadSlot)> {
        (0..self.process_table.header.threads.load(Relaxed)).map_while(|i| Some((i, self.thread(i)?)))
    }

    /// Claims a cell; `None` if all are taken.
    #[inline]
    pub fn claim_cell(&self) -> Option<&Cell> {
        self.cells.get(self.settings.cells.fetch_add(1, Relaxed) as usize)
    }

    /// The claimed cells.
    #[inline]
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().take(self.settings.cells.load(Relaxed) as usize)
    }
}

impl Cell {
    /// The number of its creations whose time is an estimate.
    #[inline]
    pub fn estimated(&self) -> u32 {
        self.undeferred.load(Relaxed).saturating_sub(self.sampling.measured())
    }
}

impl TaskThreadSlot {
    /// Estimate of what watching has added to the thread's time, in ticks.
    #[inline]
    pub fn watching(&self) -> u64 {
        let read = |from: &AtomicU64| from.load(Relaxed);
        // A process may write any number to the memory that it shares.
        read(&self.own).saturating_add(read(&self.events).saturating_mul(self.request.get()))
    }
}
