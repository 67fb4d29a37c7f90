//! Pool of type-stable records in one range of addresses: a comparison with its bounds distinguishes a record's address
//! from any other word. A reader that has an old address finds another object's record there, never other memory.
#![allow(unsafe_code)] // memory comes from mmap; words hold addresses

use super::{TreiberStack, Zeroed};
use crate::errno::Errno;
use crate::warning;
use std::marker::PhantomData;
use std::ptr::{from_ref, null_mut};
use std::sync::atomic::{AtomicU64, Ordering::*};

/// A record for a pool. While it is unused, two of its words are links, which hold addresses or 0.
pub trait Pooled: Zeroed {
    /// The next unused record.
    fn next(&self) -> &AtomicU64;
    /// The next list of unused records. May be any word that the record's user writes before reading it.
    fn next_list(&self) -> &AtomicU64;
}

/// Bytes of address space that are reserved. They count for limits of address space and of locked memory, so it is little where
/// there are such limits.
const RESERVED: usize = 1 << 32;
const RESERVED_OF_LITTLE: usize = 1 << 24;
/// A limit of locked memory below this is met by every program with threads.
const MIN_LOCKED: u64 = 1 << 26;
/// Bytes that are made usable together. The others count for no limit of data, and mlockall(2) gives them no memory.
const PART: usize = 1 << 18;

/// Number of records that a thread takes at a time; it keeps at most twice as many.
const LIST: u64 = 64;

/// The unused records that a thread keeps, in words of its own that are zero at first.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    /// The address of the first one.
    pub first: &'a AtomicU64,
    /// The number of records.
    pub count: &'a AtomicU64,
}

/// A pool of records of one type.
#[derive(Debug)]
pub struct Pool<T> {
    /// Start of the range, its length in bytes, how many of them are usable, and how many were ever handed out.
    start: AtomicU64,
    length: AtomicU64,
    usable: AtomicU64,
    used: AtomicU64,
    /// Lists that threads had in excess: the address of each list's first record.
    spare: TreiberStack,
    of: PhantomData<fn() -> T>,
}

impl<T: Pooled> Pool<T> {
    const SIZE: u64 = size_of::<T>() as u64;

    /// A pool without memory.
    pub const fn empty() -> Self {
        let [start, length, usable, used] = [const { AtomicU64::new(0) }; 4];
        Self { start, length, usable, used, spare: TreiberStack::empty(), of: PhantomData }
    }

    /// Reserves the range. Called before the first [`take`](Self::take). Keeps errno.
    pub fn set_up(&self) {
        // Acquire: pairs with the store below, of another thread's call.
        if self.start.load(Acquire) != 0 {
            return;
        }
        let errno = Errno::save();
        let is_little = is_finite(libc::RLIMIT_AS, 0) || is_finite(libc::RLIMIT_MEMLOCK, MIN_LOCKED);
        let length = if is_little { RESERVED_OF_LITTLE } else { RESERVED };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the system's choice touches no memory of ours.
        let start = unsafe { libc::mmap(null_mut(), length, libc::PROT_NONE, flags, -1, 0) };
        errno.restore();
        if start == libc::MAP_FAILED {
            return warning::of_refused_memory();
        }
        self.length.store(length as u64, Relaxed);
        self.start.store(start as u64, Release); // what `refill` loads before it reads the length
    }

    /// Makes more of the range usable than these bytes. `None` if it has no more, or the system refuses. Keeps errno.
    fn extend(&self, start: u64, usable: u64) -> Option<()> {
        let more = usable + PART as u64;
        if more > self.length.load(Relaxed) {
            return None;
        }
        let errno = Errno::save();
        // SAFETY: pages of the range, whose start is a page's, that no one has been given yet, or that another thread has just made
        // usable in the same way (mprotect(2)).
        let done =
            unsafe { libc::mprotect((start + usable) as *mut libc::c_void, PART, libc::PROT_READ | libc::PROT_WRITE) };
        errno.restore();
        // Release: pairs with the load in `refill`, so that the pages are usable there.
        let _ = (done == 0).then(|| self.usable.compare_exchange(usable, more, Release, Relaxed))?;
        Some(())
    }

    /// Offset of this address from the range's start, in bytes, if it was handed out.
    #[inline(always)]
    fn offset(&self, address: u64) -> Option<u64> {
        // Acquire: pairs with the update in `refill`: if something was handed out, `start` is seen.
        let used = self.used.load(Acquire);
        let offset = address.wrapping_sub(self.start.load(Relaxed));
        (offset < used).then_some(offset)
    }

    /// The record at this address, if it is in the range. Async-signal-safe.
    ///
    /// # Safety
    /// If it is in the range, it is the start of a record.
    #[inline(always)]
    pub unsafe fn at(&self, address: u64) -> Option<&'static T> {
        self.offset(address)?;
        // SAFETY: a record starts there, by this function's `# Safety`, in memory that is never unmapped; zero is a `T`
        // by `Zeroed`.
        Some(unsafe { &*(address as *const T) })
    }

    /// The record that starts at this address, used or not, if there is one. Async-signal-safe.
    #[inline(always)]
    pub fn beginning_at(&self, address: u64) -> Option<&'static T> {
        self.offset(address).filter(|offset| offset.is_multiple_of(Self::SIZE))?;
        // SAFETY: in the range (`offset`), at a multiple of the record size from its start, in memory that is never
        // unmapped; zero is a `T` by `Zeroed`.
        Some(unsafe { &*(address as *const T) })
    }

    /// An unused record, with its last user's contents except for the links. `kept` is the calling thread's.
    #[inline(always)]
    pub fn take(&self, kept: Kept<'_>) -> Option<&'static T> {
        let first = kept.first.load(Relaxed);
        let record = if self.offset(first).is_some() {
            // SAFETY: a record's address, from `give` or `refill`; otherwise as in `at`.
            unsafe { &*(first as *const T) }
        } else {
            self.refill(kept)?
        };
        kept.first.store(record.next().load(Relaxed), Relaxed);
        kept.count.store(kept.count.load(Relaxed).saturating_sub(1), Relaxed);
        Some(record)
    }

    /// Returns a record, which is unused from now on. `kept` is the calling thread's.
    #[inline]
    pub fn give(&self, kept: Kept<'_>, record: &'static T) {
        if kept.count.load(Relaxed) >= 2 * LIST {
            self.spare(kept);
        }
        record.next().store(kept.first.load(Relaxed), Relaxed);
        kept.first.store(address_of(Some(record)), Relaxed);
        kept.count.store(kept.count.load(Relaxed) + 1, Relaxed);
    }

    /// Moves a thread's unused records to the shared stack of lists. The first record links its list to the next one.
    #[cold]
    fn spare(&self, kept: Kept<'_>) {
        // SAFETY: 0, or a record's address, from `give` or `refill`, as `at` requires.
        let Some(head) = (unsafe { self.at(kept.first.swap(0, Relaxed)) }) else { return };
        kept.count.store(0, Relaxed);
        self.spare_list(head);
    }

    /// [`give`](Self::give) on a thread without a thread record: `record` goes to the shared stack of lists.
    #[cold]
    pub fn give_to_all(&self, record: &'static T) {
        record.next().store(0, Relaxed);
        self.spare_list(record);
    }

    /// Pushes a list of unused records onto the shared stack.
    fn spare_list(&self, head: &'static T) {
        self.spare.push(address_of(Some(head)), head.next_list());
    }

    /// Takes a list of unused records for the thread, and returns its first record.
    #[cold]
    fn refill(&self, kept: Kept<'_>) -> Option<&'static T> {
        // SAFETY: `spare_list` pushed the address of a record, and records stay.
        let record = |address| unsafe { self.at(address) };
        if let Some(head) = self.spare.pop(|address| record(address).map(Pooled::next_list)).and_then(record) {
            kept.count.store(2 * LIST, Relaxed);
            return Some(head);
        }
        // Acquire: pairs with the store in `set_up`; publishes `length`.
        let (start, bytes) = (self.start.load(Acquire), LIST * Self::SIZE);
        if start == 0 {
            // The range is not reserved yet, or that is not visible to this thread: its length may be seen first.
            return None;
        }
        let used = loop {
            // Acquire: pairs with the update in `extend`.
            let usable = self.usable.load(Acquire);
            // Never exceeds what is usable, not even for a moment: `at` relies on it.
            let more = |used| Some(used + bytes).filter(|used| *used <= usable);
            // Release: pairs with the load in `offset`; publishes `start`, and that the pages are usable.
            match self.used.fetch_update(AcqRel, Relaxed, more) {
                Ok(used) => break used,
                Err(_) => self.extend(start, usable)?,
            }
        };
        let mut first = None;
        for index in (0..LIST).rev() {
            // SAFETY: `used` is a multiple of SIZE below `length`, so only whole records are before this address.
            let record = unsafe { self.at(start + used + index * Self::SIZE) }?;
            record.next().store(address_of(first), Relaxed);
            first = Some(record);
        }
        kept.count.store(LIST, Relaxed);
        first
    }
}

/// True if a resource of the process is limited to this number of bytes or more.
fn is_finite(resource: libc::__rlimit_resource_t, least: u64) -> bool {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: 0 };
    // SAFETY: writes a struct of this type (getrlimit(2)).
    unsafe { libc::getrlimit(resource, &raw mut limit) };
    limit.rlim_cur != libc::RLIM_INFINITY && limit.rlim_cur >= least
}

fn address_of<T>(record: Option<&'static T>) -> u64 {
    record.map_or(0, |record| from_ref(record) as u64)
}

#[cfg(test)]
#[allow(clippy::disallowed_types)] // no program's thread runs this
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::iter::{from_fn, repeat_with};
    use std::thread;

    /// Its size is not a power of two.
    struct Three([AtomicU64; 3]);

    // SAFETY: atomics only, for which zero is a value.
    unsafe impl Zeroed for Three {}

    impl Pooled for Three {
        fn next(&self) -> &AtomicU64 {
            &self.0[0]
        }

        fn next_list(&self) -> &AtomicU64 {
            &self.0[1]
        }
    }

    /// An empty list of unused records, for a thread.
    fn none_kept() -> Kept<'static> {
        let [first, count] = Box::leak(Box::new([const { AtomicU64::new(0) }; 2]));
        Kept { first, count }
    }

    /// Takes `count` records on a thread of its own, gives them back, and returns their addresses.
    fn taken_and_given(pool: &'static Pool<Three>, count: usize) -> BTreeSet<u64> {
        let visit = move || {
            let kept = none_kept();
            let all: BTreeSet<_> = repeat_with(|| from_ref(pool.take(kept).unwrap()) as u64).take(count).collect();
            all.iter().for_each(|address| pool.give(kept, pool.beginning_at(*address).unwrap()));
            all
        };
        thread::spawn(visit).join().unwrap()
    }

    #[test]
    fn without_a_range_there_is_nothing() {
        static POOL: Pool<Three> = Pool::empty();
        assert!(POOL.take(none_kept()).is_none());
        assert!(POOL.beginning_at(0).is_none());
    }

    #[test]
    fn a_record_begins_nowhere_but_at_its_first_byte() {
        static POOL: Pool<Three> = Pool::empty();
        POOL.set_up();
        let addresses = taken_and_given(&POOL, 1);
        let address = *addresses.first().unwrap();
        assert!(POOL.beginning_at(address).is_some());
        assert!((1..24).all(|more| POOL.beginning_at(address + more).is_none()));
        assert!(POOL.beginning_at(address + 24).is_some(), "a thread has got as many as it takes at a time");
        assert!(POOL.beginning_at(address + LIST * 24).is_none(), "no one has got that");
        assert!(POOL.beginning_at(address - 24).is_none());
    }

    #[test]
    fn no_two_threads_have_the_same_record() {
        static POOL: Pool<Three> = Pool::empty();
        POOL.set_up();
        let work = |number: u64| {
            let kept = none_kept();
            for _ in 0..200 {
                // Five lists, more than a thread keeps: the excess goes from one thread to the other.
                let records = [(); 320].map(|()| POOL.take(kept).unwrap());
                records.iter().for_each(|record| assert_eq!(record.0[2].swap(number, Relaxed), 0));
                for record in records {
                    assert_eq!(record.0[2].swap(0, Relaxed), number);
                    POOL.give(kept, record);
                }
            }
        };
        thread::scope(|scope| (1..=4).for_each(|number| _ = scope.spawn(move || work(number))));
    }

    #[test]
    fn what_a_thread_has_too_much_of_another_one_takes() {
        static POOL: Pool<Three> = Pool::empty();
        POOL.set_up();
        let (lists, all) = (10, 10 * 2 * LIST);
        let first = taken_and_given(&POOL, usize::try_from(all).unwrap());
        let used = POOL.used.load(Relaxed);
        // The thread has kept the last list.
        let second = taken_and_given(&POOL, usize::try_from(all - all / lists).unwrap());
        assert!(second.is_subset(&first));
        assert_eq!(POOL.used.load(Relaxed), used);
    }

    #[test]
    fn what_a_thread_without_a_record_gives_another_one_takes() {
        static POOL: Pool<Three> = Pool::empty();
        POOL.set_up();
        let one = thread::spawn(|| POOL.take(none_kept()).map(|one| from_ref(one) as u64)).join().unwrap().unwrap();
        thread::spawn(move || POOL.give_to_all(POOL.beginning_at(one).unwrap())).join().unwrap();
        let used = POOL.used.load(Relaxed);
        // That list has one record; the next one is new.
        let taken = thread::spawn(|| {
            let kept = none_kept();
            [(); 2].map(|()| from_ref(POOL.take(kept).unwrap()) as u64)
        });
        assert_eq!(taken.join().unwrap()[0], one);
        assert_eq!(POOL.used.load(Relaxed), used + LIST * 24);
    }

    #[test]
    fn the_range_ends_with_a_whole_list() {
        static POOL: Pool<Three> = Pool::empty();
        POOL.set_up();
        POOL.length.store(PART as u64, Relaxed);
        let kept = none_kept();
        assert!(POOL.take(kept).is_some());
        POOL.usable.store(3 * LIST * 24 - 1, Relaxed);
        let taken = from_fn(|| POOL.take(kept)).count();
        assert_eq!(taken as u64, 2 * LIST - 1);
        assert_eq!(POOL.used.load(Relaxed), 2 * LIST * 24);
    }

    #[test]
    fn no_more_of_the_range_is_usable_than_has_been_asked_for() {
        static POOL: Pool<Three> = Pool::empty();
        POOL.set_up();
        let usable = || POOL.usable.load(Relaxed);
        assert_eq!(usable(), 0);
        let kept = none_kept();
        assert!(POOL.take(kept).is_some());
        assert_eq!(usable(), PART as u64);
        let lists = PART as u64 / (LIST * 24);
        (0..lists * LIST).for_each(|_| assert!(POOL.take(kept).is_some()));
        assert_eq!(usable(), 2 * PART as u64);
    }

    #[test]
    fn what_is_no_record_of_the_pool_is_not_taken() {
        static POOLS: [Pool<Three>; 2] = [Pool::empty(), Pool::empty()];
        POOLS.iter().for_each(Pool::set_up);
        let kept = none_kept();
        for pool in [0, 1, 0] {
            let record = POOLS[pool].take(kept).unwrap();
            assert!(POOLS[pool].beginning_at(from_ref(record) as u64).is_some(), "{pool}");
        }
    }
}
