//! Process table at the start of every collector's shared memory, with a slot for each process. Plain atomics at
//! fixed places, valid when all zero.
//!
//! A slot is claimed by incrementing a counter. A process that finds no slot is counted and left out.

use attach_inside::progress::Progress;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed};

/// Capacity of the table of processes.
pub const PROCESSES: usize = 512;
/// Number of bytes kept of a command line or a path.
pub const TEXT: usize = 1024;
/// Upper bound (exclusive) of process numbers on Linux.
const PID_LIMIT: usize = 1 << 22;

/// Origin and end of a program's image. Bits of [`ProcessSlot::flags`].
pub mod flag {
    /// `ora` started this process.
    pub const ROOT: u32 = 1;
    /// It was created by a fork of a counted process and runs the same program.
    pub const FORKED: u32 = 2;
    /// It ran to its exit handlers.
    pub const EXITED: u32 = 4;
    /// The process continued as another program (exec).
    pub const REPLACED: u32 = 8;
    /// It had several C libraries, in separate namespaces (dlmopen), when its runtimes were searched for.
    pub const NAMESPACES: u32 = 16;
    /// Its OpenMP runtime was loaded after it had begun (dlopen).
    pub const LATE_RUNTIME: u32 = 32;
}

/// Runtimes found in a process. Bits of [`ProcessSlot::runtimes`].
pub mod runtime {
    /// GNU libgomp.
    pub const GNU: u32 = 1;
    /// LLVM libomp.
    pub const LLVM: u32 = 2;
    /// Intel libiomp5.
    pub const INTEL: u32 = 4;
    /// One of the program's own, which reports itself (`ora_embed.h`).
    pub const OWN: u32 = 8;
}

/// The table at the start of each shared memory.
#[repr(C)]
#[derive(Debug)]
pub struct ProcessTable {
    /// Identity of the memory, and the counters.
    pub header: Header,
    /// One bit for each process number encountered, so that fork and exec of one process count once.
    seen: [AtomicU64; PID_LIMIT / 64],
    processes: [ProcessSlot; PROCESSES],
}

/// Values that `ora` writes first, then counters that all processes add to.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Header {
    /// Magic number of the collector, stored last, once everything else is in place.
    pub magic: AtomicU64,
    /// Changed with every change of the layout.
    pub version: AtomicU32,
    /// The process that `ora` started.
    pub root_pid: AtomicU32,
    /// Not 0: other processes don't count.
    pub no_follow: AtomicU32,
    /// Number of process slots claimed, including those beyond [`PROCESSES`].
    pub processes: AtomicU32,
    /// Number of thread slots claimed, including those beyond the last.
    pub threads: AtomicU32,
    /// Number of processes encountered besides the first one.
    pub others: AtomicU32,
    /// Number of threads that are not counted, because the system refuses memory.
    pub without_memory: AtomicU32,
    /// Number of programs that watched processes executed and that can't be watched.
    pub unwatched: AtomicU32,
    /// Source of ticks, a [`crate::ticks::Source`].
    pub clock: AtomicU32,
    /// For a collector that was attached to a running process.
    pub progress: Progress,
}

/// One program image in one process.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct ProcessSlot {
    /// 0 if the slot is not in use.
    pub pid: AtomicU32,
    /// Parent process when the slot was claimed.
    pub parent: AtomicU32,
    /// Bits of [`flag`].
    pub flags: AtomicU32,
    /// The answer to START, plus one; 0: `__omp_collector_api` was not found.
    pub session: AtomicU32,
    /// Bit n: event n was asked for and refused.
    pub refused: AtomicU64,
    /// Bits of [`runtime`].
    pub runtimes: AtomicU32,
    /// Number of thread slots that were claimed before this one: the process has none of them.
    pub first_thread: AtomicU32,
    /// The end of the thread slots among which its own are.
    pub end_thread: AtomicU32,
    /// Start, by CLOCK_MONOTONIC in nanoseconds.
    pub start_ns: AtomicU64,
    /// End, by CLOCK_MONOTONIC in nanoseconds, if it was seen; else 0.
    pub end_ns: AtomicU64,
    /// The command line, cut off at [`TEXT`] bytes.
    pub command: Text,
    /// The path of the first runtime found.
    pub runtime_path: Text,
}

const _: () = assert!(size_of::<Header>() == 64);

impl ProcessTable {
    /// The slot of a process, `None` beyond the last.
    #[inline]
    pub fn process(&self, index: u32) -> Option<&ProcessSlot> {
        self.processes.get(index as usize)
    }

    /// Claims a process slot; `None` if all are taken.
    #[inline]
    pub fn claim_process(&self) -> Option<(u32, &ProcessSlot)> {
        let index = self.header.processes.fetch_add(1, Relaxed);
        Some((index, self.process(index)?))
    }

    /// Records that this process was encountered.
    #[inline]
    pub fn note(&self, pid: u32) {
        let bit = pid as usize % PID_LIMIT;
        let Some(word) = self.seen.get(bit / 64) else { return };
        let mask = 1 << (bit % 64);
        if word.fetch_or(mask, Relaxed) & mask == 0 && pid != self.header.root_pid.load(Relaxed) {
            self.header.others.fetch_add(1, Relaxed);
        }
    }

    /// Counts a thread for whose figures the system refuses memory.
    #[inline]
    pub fn count_without_memory(&self) {
        self.header.without_memory.fetch_add(1, Relaxed);
    }

    /// The claimed process slots, with their numbers.
    #[inline]
    pub fn process_slots(&self) -> impl Iterator<Item = (u32, &ProcessSlot)> {
        (0..self.header.processes.load(Relaxed)).map_while(|i| Some((i, self.process(i)?)))
    }

    /// Ends the earlier image of a process that continues as another program: it can't report that itself.
    #[inline]
    pub fn end_earlier_image(&self, pid: u32, at_ns: u64) {
        // Acquire: pairs with the store in `Member::claim`.
        let open = |slot: &ProcessSlot| slot.pid.load(Acquire) == pid && slot.end_ns.load(Relaxed) == 0;
        for (_, slot) in self.process_slots().filter(|(_, slot)| open(slot)) {
            slot.flags.fetch_or(flag::REPLACED, Relaxed);
            slot.end_ns.store(at_ns, Relaxed);
        }
    }
}

/// A text that is written once.
#[repr(transparent)]
#[derive(Debug)]
pub struct Text([AtomicU8; TEXT]);

impl Text {
    /// Keeps as much of `bytes` as fits. Zero bytes become blanks, as between the words of a command line.
    #[inline]
    pub fn set(&self, bytes: &[u8]) {
        let blanked = bytes.iter().map(|b| if *b == 0 { b' ' } else { *b });
        for (to, from) in self.0.iter().zip(blanked) {
            to.store(from, Relaxed);
        }
    }

    /// The text, without trailing zero bytes.
    #[inline]
    pub fn get(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().map(|b| b.load(Relaxed)).take_while(|b| *b != 0).collect();
        String::from_utf8_lossy(&bytes).trim_end().to_owned()
    }
}

/// Adds to a number that only this thread writes, so no locked instruction is needed.
#[inline]
pub fn add(to: &AtomicU64, amount: u64) {
    to.store(to.load(Relaxed).wrapping_add(amount), Relaxed);
}

/// Raises a number that only this thread writes to at least this value.
#[inline]
pub fn raise(to: &AtomicU64, value: u64) {
    if value > to.load(Relaxed) {
        to.store(value, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;
    use crate::stat::layout::Area;

    #[test]
    fn claims_beyond_the_last_slot_are_counted_and_refused() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let process_table = &shared.area().process_table;
        assert_eq!((0..PROCESSES + 3).filter(|_| process_table.claim_process().is_some()).count(), PROCESSES);
        assert_eq!(process_table.header.processes.load(Relaxed) as usize, PROCESSES + 3);
        assert_eq!(process_table.process_slots().count(), PROCESSES);
    }

    #[test]
    fn a_process_that_forks_and_execs_is_met_once_and_the_root_never_counts_as_another() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let process_table = &shared.area().process_table;
        process_table.header.root_pid.store(7, Relaxed);
        for pid in [7, 8, 8, 9, 7, 4_194_303] {
            process_table.note(pid);
        }
        assert_eq!(process_table.header.others.load(Relaxed), 3);
    }

    #[test]
    fn text_keeps_what_fits_and_turns_zero_bytes_into_blanks() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let slot = shared.area().process_table.process(0).unwrap();
        slot.command.set(b"a\0-x\0");
        assert_eq!(slot.command.get(), "a -x");
        slot.command.set(&[b'y'; TEXT + 9]);
        assert_eq!(slot.command.get().len(), TEXT);
    }
}
