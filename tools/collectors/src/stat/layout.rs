//! What `ora stat` and its collector share: plain atomics at fixed places, valid when all zero.
//!
//! Each slot has one writer, the thread or process that claimed it, so relaxed loads and stores are enough; `ora` reads
//! when the writers are gone. A slot is claimed by adding one to a counter; what finds no slot is counted and left out.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::joins::JoinRing;

/// First word of the shared memory.
pub const MAGIC: u64 = u64::from_le_bytes(*b"ora-stat");
/// Changes with every change of this file.
pub const VERSION: u32 = 1;
/// How many processes have room.
pub const PROCESSES: usize = 512;
/// How many threads have room, over all processes.
pub const THREADS: usize = 16384;
/// From this many threads on, new ones continue the slot of one that has ended.
pub const ROWS_KEPT_APART: u32 = 4096;
/// Bytes kept of a command line or a path.
pub const TEXT: usize = 256;
/// Linux gives out no process number from here on.
const PID_LIMIT: usize = 1 << 22;

/// What a thread does with its time.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Outside of all regions.
    Serial = 0,
    /// In a region, in none of the waits below: work, and overhead that no event shows.
    Work = 1,
    /// In the barrier that ends a region or a work-sharing construct.
    ImplicitBarrier = 2,
    /// In an explicit barrier.
    ExplicitBarrier = 3,
    /// Waits for a lock.
    Lock = 4,
    /// Waits for a critical section.
    Critical = 5,
    /// Waits for its turn in an ordered region.
    Ordered = 6,
    /// Waits for an atomic update.
    Atomic = 7,
    /// A worker in the pool.
    Idle = 8,
}

/// How many activities there are.
pub const ACTIVITIES: usize = 9;

impl Activity {
    /// All of them, at the place of their number.
    pub const ALL: [Activity; ACTIVITIES] = [
        Activity::Serial,
        Activity::Work,
        Activity::ImplicitBarrier,
        Activity::ExplicitBarrier,
        Activity::Lock,
        Activity::Critical,
        Activity::Ordered,
        Activity::Atomic,
        Activity::Idle,
    ];

    /// The activity with this number.
    pub fn from_raw(raw: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|a| *a as u32 == raw)
    }
}

/// Why an image of a program counts, and how it ended. Bits of [`ProcessSlot::flags`].
pub mod flag {
    /// `ora` started this process.
    pub const ROOT: u32 = 1;
    /// It came into being by a fork of a counted process and runs the same program.
    pub const FORKED: u32 = 2;
    /// It ran to its exit handlers.
    pub const EXITED: u32 = 4;
    /// The process went on as another program (exec).
    pub const REPLACED: u32 = 8;
}

/// Runtimes found in a process. Bits of [`ProcessSlot::runtimes`].
pub mod runtime {
    /// GNU libgomp.
    pub const GNU: u32 = 1;
    /// LLVM libomp.
    pub const LLVM: u32 = 2;
    /// Intel libiomp5.
    pub const INTEL: u32 = 4;
}

/// All of the shared memory. Most of it is never touched and costs nothing.
#[repr(C)]
#[derive(Debug)]
pub struct Area {
    /// Who made it, and the counters.
    pub header: Header,
    /// One bit for each process number met, so that fork and exec of one process count once.
    seen: [AtomicU64; PID_LIMIT / 64],
    processes: [ProcessSlot; PROCESSES],
    joins: [JoinRing; PROCESSES],
    threads: [ThreadSlot; THREADS],
}

/// Written by `ora` first, then counters that all processes add to.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Header {
    /// [`MAGIC`], once everything else is in place.
    pub magic: AtomicU64,
    /// [`VERSION`].
    pub version: AtomicU32,
    /// The process that `ora` started.
    pub root_pid: AtomicU32,
    /// Not 0: other processes don't count.
    pub no_follow: AtomicU32,
    /// Process slots claimed, also beyond [`PROCESSES`].
    pub processes: AtomicU32,
    /// Thread slots claimed, also beyond [`THREADS`].
    pub threads: AtomicU32,
    /// Processes met beside the first one.
    pub others: AtomicU32,
}

/// One program image in one process.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct ProcessSlot {
    /// 0: slot not in use.
    pub pid: AtomicU32,
    /// Its parent when the slot was claimed.
    pub parent: AtomicU32,
    /// See [`flag`].
    pub flags: AtomicU32,
    /// The answer to START, plus one; 0: `__omp_collector_api` was not found.
    pub session: AtomicU32,
    /// Bit n: event n was asked for and refused.
    pub refused: AtomicU32,
    /// See [`runtime`].
    pub runtimes: AtomicU32,
    /// When it began, by CLOCK_MONOTONIC.
    pub start_ns: AtomicU64,
    /// When it ended, where it could tell; else 0.
    pub end_ns: AtomicU64,
    /// The command line, cut off at [`TEXT`] bytes.
    pub command: Text,
    /// The path of the first runtime found.
    pub runtime_path: Text,
}

/// What one thread did. A slot may serve several threads in turn, see [`ROWS_KEPT_APART`].
#[repr(C, align(64))]
#[derive(Debug)]
pub struct ThreadSlot {
    /// The process slot it belongs to, plus one. 0: slot not in use.
    pub owner: AtomicU32,
    /// Its number for the kernel.
    pub tid: AtomicU32,
    /// The [`Activity`] that goes on now.
    pub now: AtomicU32,
    /// Not 0: a thread of the OpenMP runtime's pool.
    pub worker: AtomicU32,
    /// How many threads used this slot.
    pub turns: AtomicU32,
    /// The next slot in the list of free ones (a process's own affair).
    pub next_free: AtomicU32,
    /// When it began; with several users, as much before the last one's start as the earlier ones took.
    pub start_ns: AtomicU64,
    /// When it ended; 0: it has not.
    pub end_ns: AtomicU64,
    /// The region of the activity that goes on now.
    pub region: AtomicU64,
    /// Time by [`Activity`]. What goes on now began at `start_ns` plus the sum of these: one store ends an activity and
    /// begins the next, so that a kill at any instruction counts nothing twice.
    pub spent_ns: [AtomicU64; ACTIVITIES],
    /// How often each activity began.
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
    /// Regions that it joined in as a worker.
    pub served: AtomicU64,
    /// Time charged as idle because the time of JOIN was lost.
    pub guessed_ns: AtomicU64,
}

const _: () = assert!(size_of::<ThreadSlot>() == 256 && size_of::<Header>() == 64);

impl Area {
    /// The slot of a process, `None` beyond the last.
    pub fn process(&self, index: u32) -> Option<&ProcessSlot> {
        self.processes.get(index as usize)
    }

    /// When that process's regions ended.
    pub fn joins(&self, index: u32) -> Option<&JoinRing> {
        self.joins.get(index as usize)
    }

    /// The slot of a thread, `None` beyond the last.
    pub fn thread(&self, index: u32) -> Option<&ThreadSlot> {
        self.threads.get(index as usize)
    }

    /// Claims a process slot; `None` when all are taken.
    pub fn claim_process(&self) -> Option<(u32, &ProcessSlot)> {
        let index = self.header.processes.fetch_add(1, Relaxed);
        Some((index, self.process(index)?))
    }

    /// Claims a thread slot; `None` when all are taken.
    pub fn claim_thread(&self) -> Option<(u32, &ThreadSlot)> {
        let index = self.header.threads.fetch_add(1, Relaxed);
        Some((index, self.thread(index)?))
    }

    /// Remembers that this process was met.
    pub fn meet(&self, pid: u32) {
        let bit = pid as usize % PID_LIMIT;
        let Some(word) = self.seen.get(bit / 64) else { return };
        let mask = 1 << (bit % 64);
        if word.fetch_or(mask, Relaxed) & mask == 0 && pid != self.header.root_pid.load(Relaxed) {
            self.header.others.fetch_add(1, Relaxed);
        }
    }

    /// The claimed process slots, with their numbers.
    pub fn process_slots(&self) -> impl Iterator<Item = (u32, &ProcessSlot)> {
        (0..self.header.processes.load(Relaxed)).map_while(|i| Some((i, self.process(i)?)))
    }

    /// The claimed thread slots.
    pub fn thread_slots(&self) -> impl Iterator<Item = &ThreadSlot> {
        (0..self.header.threads.load(Relaxed)).map_while(|i| self.thread(i))
    }
}

impl ThreadSlot {
    /// All time charged so far.
    pub fn spent_in_all_ns(&self) -> u64 {
        self.spent_ns.iter().map(|a| a.load(Relaxed)).fold(0, u64::wrapping_add)
    }

    /// When the activity that goes on now began.
    pub fn since_ns(&self) -> u64 {
        self.start_ns.load(Relaxed).wrapping_add(self.spent_in_all_ns())
    }

    /// Lets the activity that goes on now begin at this moment. Time between two users of a slot is thus left out.
    pub fn resume_at(&self, at_ns: u64) {
        self.start_ns.store(at_ns.wrapping_sub(self.spent_in_all_ns()), Relaxed);
        self.end_ns.store(0, Relaxed);
    }
}

/// A piece of text that is written once.
#[repr(transparent)]
#[derive(Debug)]
pub struct Text([AtomicU8; TEXT]);

impl Text {
    /// Keeps as much of `bytes` as there is room for. Zero bytes become blanks, as between the words of a command line.
    pub fn set(&self, bytes: &[u8]) {
        let blanked = bytes.iter().map(|b| if *b == 0 { b' ' } else { *b });
        for (to, from) in self.0.iter().zip(blanked) {
            to.store(from, Relaxed);
        }
    }

    /// What was kept.
    pub fn get(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().map(|b| b.load(Relaxed)).take_while(|b| *b != 0).collect();
        String::from_utf8_lossy(&bytes).trim_end().to_owned()
    }
}

/// Adds to a number that only this thread writes: no locked instruction needed.
pub fn add(to: &AtomicU64, amount: u64) {
    to.store(to.load(Relaxed).wrapping_add(amount), Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stat::area::SharedArea;

    #[test]
    fn claims_beyond_the_last_slot_are_counted_and_refused() {
        let shared = SharedArea::create().unwrap();
        let area = shared.area();
        assert_eq!((0..PROCESSES + 3).filter(|_| area.claim_process().is_some()).count(), PROCESSES);
        assert_eq!(area.header.processes.load(Relaxed) as usize, PROCESSES + 3);
        assert_eq!(area.process_slots().count(), PROCESSES);
    }

    #[test]
    fn a_process_that_forks_and_execs_is_met_once_and_the_root_never_counts_as_another() {
        let shared = SharedArea::create().unwrap();
        let area = shared.area();
        area.header.root_pid.store(7, Relaxed);
        for pid in [7, 8, 8, 9, 7, 4_194_303] {
            area.meet(pid);
        }
        assert_eq!(area.header.others.load(Relaxed), 3);
    }

    #[test]
    fn text_keeps_what_fits_and_turns_zero_bytes_into_blanks() {
        let shared = SharedArea::create().unwrap();
        let slot = shared.area().process(0).unwrap();
        slot.command.set(b"a\0-x\0");
        assert_eq!(slot.command.get(), "a -x");
        slot.command.set(&[b'y'; TEXT + 9]);
        assert_eq!(slot.command.get().len(), TEXT);
    }

    #[test]
    fn activities_stand_at_the_place_of_their_number() {
        for (place, activity) in Activity::ALL.into_iter().enumerate() {
            assert_eq!(activity as usize, place);
            assert_eq!(Activity::from_raw(activity as u32), Some(activity));
        }
        assert_eq!(Activity::from_raw(9), None);
    }
}
