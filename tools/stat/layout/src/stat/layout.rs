//! Layout of the memory that `ora stat` and its collector share: plain atomics at fixed places, valid when all zero.
//!
//! Each slot has one writer, the thread or process that claimed it, so relaxed loads and stores are enough; `ora` reads
//! after the writers have ended. A slot is claimed by incrementing a counter; threads and processes that find no slot
//! are counted and left out. Unsafe: the promise that it may be shared.

#![allow(unsafe_code)]

use std::ffi::CStr;
use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

pub use super::activity::{ACTIVITIES, Activity};
use super::instances::Instances;
use super::joins::JoinRing;
use super::path::Path;
use super::processor_time::ProcessorTime;
use super::regions::RegionTable;
use super::surroundings::Surroundings;
use super::watching::Watching;
use crate::area::Shared;
use crate::loaded::{LoadedObjects, SharedTables};
use crate::process_table::{PROCESSES, ProcessTable, add};

/// Capacity of the table of threads, over all processes.
pub const THREADS: usize = 16384;
/// From this many threads on, new ones continue the slot of one that has ended.
pub const MAX_UNSHARED_ROWS: u32 = 4096;

/// A thread's times at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charged {
    /// Time by [`Activity`], without the current one.
    pub spent_ns: [u64; ACTIVITIES],
    /// The current activity.
    pub activity: Activity,
    /// Its region.
    pub region: u64,
    /// Its start.
    pub since_ns: u64,
}

/// All of the shared memory. Most of it is never touched and costs nothing.
#[repr(C)]
#[derive(Debug)]
pub struct Area {
    /// Header, and the processes.
    pub process_table: ProcessTable,
    /// Loaded objects that contain the places of regions.
    pub objects: LoadedObjects,
    /// Figures of the regions, by place.
    pub regions: RegionTable,
    joins: [JoinRing; PROCESSES],
    instances: [Instances; PROCESSES],
    surroundings: [Surroundings; PROCESSES],
    threads: [ThreadSlot; THREADS],
}

/// Figures of one thread. A slot may serve several threads in turn, see [`MAX_UNSHARED_ROWS`].
#[repr(C, align(64))]
#[derive(Debug)]
pub struct ThreadSlot {
    /// The process slot it belongs to, plus one; 0 if not in use.
    pub owner: AtomicU32,
    /// The thread's number in the kernel.
    pub tid: AtomicU32,
    /// The current [`Activity`].
    pub now: AtomicU32,
    /// Not 0: a thread of the OpenMP runtime's pool.
    pub worker: AtomicU32,
    /// Number of threads that have used this slot.
    pub turns: AtomicU32,
    /// The next slot in the list of free ones, which only the process itself uses.
    pub next_free: AtomicU32,
    /// The thread's start; with several users, as much before the last one's start as the earlier ones took.
    pub start_ns: AtomicU64,
    /// The thread's end; 0 while it is alive.
    pub end_ns: AtomicU64,
    /// The region of the current activity.
    pub region: AtomicU64,
    /// Time by [`Activity`]. The current activity began at `start_ns` plus the sum of these: one store ends an activity
    /// and begins the next, so that a kill at any instruction counts nothing twice.
    pub spent_ns: [AtomicU64; ACTIVITIES],
    /// Number of times that each activity started.
    pub begun: [AtomicU64; ACTIVITIES],
    /// Regions that this thread forked.
    pub forks: AtomicU64,
    /// Regions that it joined; the next three are about these.
    pub joins: AtomicU64,
    /// Time in its regions.
    pub region_ns: AtomicU64,
    /// Shortest region.
    pub region_min_ns: AtomicU64,
    /// Longest region.
    pub region_max_ns: AtomicU64,
    /// Regions that it took part in as a worker.
    pub served: AtomicU64,
    /// Time charged as idle because the time of JOIN was lost.
    pub guessed_ns: AtomicU64,
    /// Time of work that may have been waits: in tasks nested so deep that activities are no longer distinguished.
    pub too_deep_ns: AtomicU64,
    /// For the outermost regions that this thread forked, by phase: the difference between the longest running times in them and its
    /// own.
    pub path_more_ns: AtomicU64,
    /// For the same regions: the difference between the longest paths and these, for waits in which other threads
    /// worked.
    pub path_waits_ns: AtomicU64,
    /// For a worker: an address in the OpenMP runtime to whose pool it belongs; 0: not known.
    pub runtime: AtomicU64,
    /// Its time by scheduling state.
    pub processor: ProcessorTime,
    /// Cost of watching it.
    pub watching: Watching,
}

const _: () = assert!(size_of::<ThreadSlot>() == 576);

// SAFETY: atomics throughout, valid when all zero.
unsafe impl Shared for Area {
    type Item = AtomicU64;
    const NAME: &'static CStr = c"ora-stat";
    const MAGIC: u64 = u64::from_le_bytes(*b"ora-stat");
    const VERSION: u32 = 23;

    fn process_table(&self) -> &ProcessTable {
        &self.process_table
    }
}

impl Area {
    /// The ends of the process's regions, by the number of its slot.
    #[inline]
    pub fn joins(&self, index: u32) -> Option<&JoinRing> {
        self.joins.get(index as usize)
    }

    /// The process's open regions, by the number of its slot.
    #[inline]
    pub fn instances(&self, index: u32) -> Option<&Instances> {
        self.instances.get(index as usize)
    }

    /// The table in which a process enters its objects.
    #[inline]
    pub fn tables(&self) -> SharedTables<'_> {
        SharedTables { process_table: &self.process_table, objects: &self.objects }
    }

    /// The surroundings of the process with this slot.
    #[inline]
    pub fn surroundings(&self, index: u32) -> Option<&Surroundings> {
        self.surroundings.get(index as usize)
    }

    /// The slot of a thread, `None` beyond the last.
    #[inline]
    pub fn thread(&self, index: u32) -> Option<&ThreadSlot> {
        self.threads.get(index as usize)
    }

    /// Claims a thread slot; `None` if all are taken.
    #[inline]
    pub fn claim_thread(&self) -> Option<(u32, &ThreadSlot)> {
        let index = self.process_table.header.threads.fetch_add(1, Relaxed);
        Some((index, self.thread(index)?))
    }

    /// Gives a thread slot to a process, by the number of its slot, once all else in it is stored.
    #[inline]
    pub fn give_thread(&self, process: u32, index: u32) {
        let (Some(process_slot), Some(slot)) = (self.process_table.process(process), self.thread(index)) else {
            return;
        };
        process_slot.end_thread.fetch_max(index + 1, Relaxed);
        // Release: pairs with the load in `threads_of`; publishes the slot's contents.
        slot.owner.store(process + 1, Release);
    }

    /// True if a thread did not get a slot: it is in its teams, and none of its events is seen.
    #[inline(always)]
    pub fn has_refused_threads(&self) -> bool {
        self.process_table.header.threads.load(Relaxed) as usize > THREADS
    }

    /// The claimed thread slots.
    #[inline]
    pub fn thread_slots(&self) -> impl Iterator<Item = &ThreadSlot> {
        (0..self.process_table.header.threads.load(Relaxed)).map_while(|i| self.thread(i))
    }

    /// The threads of a process, by the number of its slot, that have begun.
    #[inline]
    pub fn threads_of(&self, process: u32) -> impl Iterator<Item = &ThreadSlot> {
        let slots = self.process_table.process(process).map(|slot| [&slot.first_thread, &slot.end_thread]);
        let [first, end] = slots.map_or([0; 2], |slots| slots.map(|number| number.load(Relaxed)));
        // Acquire: pairs with the store in `give_thread`; publishes the slot's contents.
        (first..end).map_while(|i| self.thread(i)).filter(move |thread| thread.owner.load(Acquire) == process + 1)
    }
}

impl ThreadSlot {
    /// All time charged so far.
    #[inline]
    pub fn spent_in_all_ns(&self) -> u64 {
        self.spent_ns.iter().map(|a| a.load(Relaxed)).fold(0, u64::wrapping_add)
    }

    /// The start of the current activity.
    #[inline]
    pub fn since_ns(&self) -> u64 {
        self.start_ns.load(Relaxed).wrapping_add(self.spent_in_all_ns())
    }

    /// The thread's times, which it may be charging meanwhile. They are consistent, unless events follow each other so fast that each
    /// attempt is disturbed by one; then the next snapshot makes up for it.
    #[inline]
    pub fn charged(&self) -> Charged {
        const ATTEMPTS: usize = 16;
        let read = || Charged {
            spent_ns: std::array::from_fn(|place| self.spent_ns.get(place).map_or(0, |time| time.load(Relaxed))),
            activity: Activity::from_raw(self.now.load(Relaxed)).unwrap_or(Activity::Serial),
            region: self.region.load(Relaxed),
            since_ns: self.since_ns(),
        };
        let mut charged = read();
        for _ in 0..ATTEMPTS {
            let again = read();
            if again == charged {
                break;
            }
            charged = again;
        }
        charged
    }

    /// Adds the path through a region.
    #[inline(always)]
    pub fn add_path(&self, path: Path) {
        for (sum, ns) in [(&self.path_more_ns, path.more_ns), (&self.path_waits_ns, path.waits_ns)] {
            if ns > 0 {
                add(sum, ns);
            }
        }
    }

    /// Lets the current activity begin at this moment. Time between two users of a slot is thus left out.
    #[inline]
    pub fn resume_at(&self, at_ns: u64) {
        self.start_ns.store(at_ns.wrapping_sub(self.spent_in_all_ns()), Relaxed);
        self.end_ns.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;

    #[test]
    fn threads_are_searched_among_those_from_the_first_to_the_last_of_their_process() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let area = shared.area();
        let claim = || area.claim_thread().unwrap().0;
        let first = claim();
        let (process, slot) = area.process_table.claim_process().unwrap();
        slot.first_thread.store(1, Relaxed);
        let [own, other, last, after] = std::array::from_fn(|_| claim());
        for (number, thread) in [(process, own), (process + 1, other), (process, last)] {
            area.give_thread(number, thread);
        }
        // These are not read: in a process that ends, each would be mapped.
        for thread in [first, after] {
            area.thread(thread).unwrap().owner.store(process + 1, Relaxed);
        }
        assert_eq!(area.threads_of(process).count(), 2);
    }

    #[test]
    fn what_goes_on_began_where_the_charged_time_ends() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let (_, slot) = shared.area().claim_thread().unwrap();
        slot.resume_at(1000);
        slot.spent_ns[Activity::Work as usize].store(30, Relaxed);
        slot.now.store(Activity::Lock as u32, Relaxed);
        slot.region.store(7, Relaxed);
        let charged = slot.charged();
        assert_eq!((charged.activity, charged.region, charged.since_ns), (Activity::Lock, 7, 1030));
        assert_eq!(charged.spent_ns.iter().sum::<u64>(), 30);
    }
}
