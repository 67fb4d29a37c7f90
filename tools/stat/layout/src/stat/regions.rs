//! Table of the program's places where threads fork regions, and where they wait for exclusive access: rows of a fixed-size hash table in
//! the shared memory.
//!
//! A row belongs to one thread and one place. So it has one writer, and only claiming it needs a locked instruction; `ora`
//! adds up the rows of a process. The table uses open addressing with linear probing, and nothing is ever removed.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::activity::Activity;

/// Capacity of the table in pairs of a thread and a place, over all processes.
pub const ROWS: usize = 1 << 15;
/// Number of rows that are searched for a place.
const PROBES: usize = 32;
/// Number of bits of a key that are the place: addresses of programs have 47 on x86-64, and 48 on aarch64.
const PLACE_BITS: u32 = 48;

/// The rows of all processes.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct RegionTable {
    /// Number of regions that did not get a row.
    pub left_out: AtomicU64,
    /// Shares of threads in other threads' regions that did not fit ([`super::instances::OPEN`]): the rows lack them.
    pub lost_shares: AtomicU64,
    /// Regions that are counted in their rows, but not timed, because they were nested too deep.
    pub too_deep: AtomicU64,
    /// One bit for each row that may be in use, so that the memory of the others is not read, which would allocate it.
    claimed: [AtomicU64; ROWS / 64],
    rows: [RegionRow; ROWS],
}

/// The regions that one thread forked at one place, and its waits for exclusive access in a call there.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct RegionRow {
    /// The thread's slot plus one, and the place, see [`Self::thread`] and [`Self::place`]. 0: not in use.
    key: AtomicU64,
    /// Regions begun.
    pub count: AtomicU64,
    /// Regions ended; the times are about these.
    pub ended: AtomicU64,
    /// From fork to join.
    pub total_ns: AtomicU64,
    /// The longest.
    pub longest_ns: AtomicU64,
    /// Work of all members, without the regions inside this one.
    pub work_ns: AtomicU64,
    /// Waits of all members, up to the end of the barrier that ends the region.
    pub wait_ns: AtomicU64,
    /// The largest team.
    pub threads: AtomicU64,
    /// Waits of all members at barriers.
    pub barrier_ns: AtomicU64,
    /// For instances with a team of several, by phase: (max - mean) of the members' shares of running time, which even
    /// shares would save.
    pub gain_ns: AtomicU64,
    /// For the same: the sum of (max - own share) over the members, as far as they wait at the barrier.
    pub imbalance_ns: AtomicU64,
    /// For the same: the sum of the shares, which include the regions inside.
    pub shares_ns: AtomicU64,
    /// For the same: the largest share.
    pub max_ns: AtomicU64,
    /// For the same, with barriers inside: the difference between the largest shares of all phases and the largest sum of one member's
    /// shares, which regions without these barriers would save.
    pub phases_ns: AtomicU64,
    /// Regions begun inside another one.
    pub nested: AtomicU64,
    /// Waits at barriers for members that were ready without a processor.
    pub no_processor_ns: AtomicU64,
    /// Waits at barriers that nothing else explains, beyond what a barrier takes: members began late, or woke up late.
    pub late_ns: AtomicU64,
    /// Explicit tasks that the members have begun.
    pub tasks: AtomicU64,
    /// Shares of loops that the members were given.
    pub chunks: AtomicU64,
    /// An address in the OpenMP runtime that executes them. Below `place::FIRST_ADDRESS`: number of times that it was
    /// not found.
    pub runtime: AtomicU64,
    /// If teams at this place had several threads: regions that one thread executed.
    pub alone_ended: AtomicU64,
    /// Time of these.
    pub alone_ns: AtomicU64,
    /// Regions begun that were too deep inside others to have times: their ends are not counted.
    pub too_deep: AtomicU64,
    /// Waits by [`Exclusive`].
    pub waited_ns: [AtomicU64; EXCLUSIVE],
}

/// Kind of access that only one thread has at a time, other than in an ordered region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusive {
    /// To what a lock guards.
    Lock,
    /// To a critical section.
    Critical,
    /// To a variable, by an atomic update that the runtime protects.
    Atomic,
}

/// Number of these kinds.
pub const EXCLUSIVE: usize = 3;

impl Exclusive {
    /// The kind of access that threads wait for in this activity.
    #[inline(always)]
    pub fn awaited_in(activity: Activity) -> Option<Self> {
        match activity {
            Activity::Lock => Some(Self::Lock),
            Activity::Critical => Some(Self::Critical),
            Activity::Atomic => Some(Self::Atomic),
            _ => None,
        }
    }
}

const _: () = assert!(size_of::<RegionRow>() == 256);

impl RegionTable {
    /// The row of a thread (its slot) for a place, claimed now if need be. `None` if the table is full there, which
    /// is counted.
    #[inline(always)]
    pub fn row(&self, thread: u32, place: u64) -> Option<&RegionRow> {
        let row = self.find(thread, place);
        if row.is_none() {
            self.left_out.fetch_add(1, Relaxed);
        }
        row
    }

    /// As [`row`](Self::row), but if the table is full, nothing is counted.
    #[inline(always)]
    pub fn find(&self, thread: u32, place: u64) -> Option<&RegionRow> {
        let key = (u64::from(thread) + 1) << PLACE_BITS | place & ((1 << PLACE_BITS) - 1);
        // Fibonacci hashing: the highest bits depend on all of the key's.
        let first = usize::try_from(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - ROWS.ilog2())).ok()?;
        for probe in 0..PROBES {
            let number = (first + probe) % ROWS;
            let row = self.rows.get(number)?;
            let found = row.key.load(Relaxed);
            if found == key || found == 0 && self.claim(number, row, key) {
                return Some(row);
            }
        }
        None
    }

    /// Claims a row. If two threads claim one simultaneously, one of them continues with the next row.
    #[cold]
    fn claim(&self, number: usize, row: &RegionRow, key: u64) -> bool {
        let Some(word) = self.claimed.get(number / 64) else { return false };
        // Set before the row: a thread that is killed in between leaves a bit set for an unused row.
        word.fetch_or(1 << (number % 64), Relaxed);
        row.key.compare_exchange(0, key, Relaxed, Relaxed).is_ok()
    }

    /// The rows in use.
    #[inline]
    pub fn rows(&self) -> impl Iterator<Item = &RegionRow> {
        let words = self.claimed.iter().zip(self.rows.chunks(64));
        words
            .flat_map(|(word, rows)| Bits(word.load(Relaxed)).filter_map(|bit| rows.get(bit)))
            .filter(|row| row.key.load(Relaxed) != 0)
    }
}

/// The numbers of the bits that are set, lowest first.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (bit < u64::BITS).then_some(bit as usize)
    }
}

impl RegionRow {
    /// Counts the threads of a team. Up to the first team of several threads, one thread has executed all regions.
    #[inline]
    pub fn raise_threads(&self, threads: u64) {
        let before = self.threads.load(Relaxed);
        if threads > before {
            if before == 1 {
                self.alone_ended.store(self.ended.load(Relaxed), Relaxed);
                self.alone_ns.store(self.total_ns.load(Relaxed), Relaxed);
            }
            self.threads.store(threads, Relaxed);
        }
    }

    /// The number of the slot of the thread that writes it.
    #[inline]
    pub fn thread(&self) -> u32 {
        u32::try_from(self.key.load(Relaxed) >> PLACE_BITS).unwrap_or_default().saturating_sub(1)
    }

    /// The return address of the call that forks or waits, or one of [`crate::loaded::place`].
    #[inline]
    pub fn place(&self) -> u64 {
        self.key.load(Relaxed) & ((1 << PLACE_BITS) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;
    use crate::stat::layout::Area;

    #[test]
    fn a_thread_and_a_place_have_one_row() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let table = &shared.area().regions;
        for (thread, place) in [(0, 0x7fff_1234_5678), (1, 0x7fff_1234_5678), (0, 2)] {
            let row = table.row(thread, place).unwrap();
            assert_eq!((row.thread(), row.place()), (thread, place));
            assert!(std::ptr::eq(row, table.row(thread, place).unwrap()));
        }
        assert_eq!(table.rows().count(), 3);
    }

    /// Memory that was never written does not exist yet: the system allocates it when it is read.
    #[test]
    fn rows_that_are_not_in_use_are_not_read() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let table = &shared.area().regions;
        let places = [0x7fff_1234_5678, 0x7fff_1234_5679, 0x5555_5555_0000];
        for place in places {
            table.row(5, place).unwrap();
        }
        let before = shared.allocated_bytes();
        assert_eq!(table.rows().count(), places.len());
        let bits = size_of_val(&table.claimed) as u64;
        assert!(shared.allocated_bytes() - before <= 2 * bits, "{before} {}", shared.allocated_bytes());
    }

    #[test]
    fn many_threads_have_room_for_the_same_place() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let table = &shared.area().regions;
        for thread in 0..4096 {
            for place in [0x5555_5555_1234, 0x5555_5555_1290, 0x5555_5555_3000] {
                assert!(table.row(thread, place).is_some(), "{thread}");
            }
        }
        assert_eq!(table.rows().count(), 3 * 4096);
    }

    #[test]
    fn places_without_a_row_are_counted() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let table = &shared.area().regions;
        let places = ROWS as u64 + 100;
        let found = (0..places).filter(|place| table.row(3, 0x1000 + place * 16).is_some()).count();
        assert_eq!((found, table.left_out.load(Relaxed)), (table.rows().count(), places - found as u64));
        assert!(found <= ROWS && found > ROWS * 9 / 10, "{found}");
    }
}
