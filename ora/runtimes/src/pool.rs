//! Records of one type in one range of addresses: a word that may hold the address of one is told from other words by
//! comparisons. They are used again, and are type-stable: who comes late with an old address finds another object's record,
//! never other memory.
#![allow(unsafe_code)] // memory comes from mmap; words hold addresses

use ompt_core::thread::Thread;
use std::marker::PhantomData;
use std::ptr::{from_ref, null_mut};
use std::sync::atomic::{AtomicU64, Ordering::*};
use system::errno::Errno;
use system::memory::Zeroed;
use system::warning;

/// A record that can lie in a pool. While it is unused, two words of it are links, which hold addresses or 0.
pub(crate) trait Pooled: Zeroed {
    /// Words of a [`Thread`]: its first unused record, and how many they are.
    const UNUSED: usize;
    const COUNT: usize;
    /// The next unused record.
    fn next(&self) -> &AtomicU64;
    /// The next list of unused records. May be any word that the record's user writes before it reads it.
    fn next_list(&self) -> &AtomicU64;
}

/// Room for so many bytes is asked for at first, half of that where the system refuses, and so on. Only what is used takes
/// memory.
const MOST: usize = 1 << 32;
const LEAST: usize = 1 << 20;

/// How many records a thread takes at a time; it keeps no more than twice as many.
const LIST: u64 = 64;

/// The part of a word that is an address: the rest is a count against ABA.
const ADDRESS: u64 = (1 << 48) - 1;

/// The records of a host.
pub(crate) struct Pool<T> {
    /// Where the range begins, how many bytes it has, and how many of them were ever handed out.
    start: AtomicU64,
    length: AtomicU64,
    used: AtomicU64,
    /// Lists that threads had too much of: the first record's address, and a count.
    spare: AtomicU64,
    of: PhantomData<fn() -> T>,
}

impl<T: Pooled> Pool<T> {
    const SIZE: u64 = size_of::<T>() as u64;

    pub(crate) const fn new() -> Self {
        let [start, length, used, spare] = [const { AtomicU64::new(0) }; 4];
        Self { start, length, used, spare, of: PhantomData }
    }

    /// Asks the system for the range. To be called before the first record is wanted. Keeps errno.
    pub(crate) fn set_up(&self) {
        if self.start.load(Acquire) != 0 {
            return;
        }
        let errno = Errno::save();
        let mut length = MOST;
        while length >= LEAST {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            // SAFETY: a new mapping at an address of the system's choice touches no memory of ours.
            let start = unsafe { libc::mmap(null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
            if start != libc::MAP_FAILED {
                errno.restore();
                self.length.store(length as u64, Relaxed);
                self.start.store(start as u64, Release); // what `refill` loads before it looks at the length
                return;
            }
            length /= 2;
        }
        errno.restore();
        warning::of_refused_memory();
    }

    /// How far behind the range's start this address is, if something that was handed out is there.
    #[inline(always)]
    fn offset(&self, address: u64) -> Option<u64> {
        // Pairs with `refill`: where something was handed out, there is a start.
        let used = self.used.load(Acquire);
        let offset = address.wrapping_sub(self.start.load(Relaxed));
        (offset < used).then_some(offset)
    }

    /// The record at this address, if it is in the range. Async-signal-safe.
    ///
    /// # Safety
    /// In the range, it is the beginning of a record.
    #[inline(always)]
    pub(crate) unsafe fn at(&self, address: u64) -> Option<&'static T> {
        self.offset(address)?;
        // SAFETY: a record by the caller's promise, in memory that stays; zero is one by its `Zeroed`.
        Some(unsafe { &*(address as *const T) })
    }

    /// The record that begins at this address, if one does, whatever it is. Async-signal-safe.
    #[inline(always)]
    pub(crate) fn beginning_at(&self, address: u64) -> Option<&'static T> {
        self.offset(address).filter(|offset| offset.is_multiple_of(Self::SIZE))?;
        // SAFETY: in the range behind so many whole records; then as in `at`.
        Some(unsafe { &*(address as *const T) })
    }

    /// An unused record, which is as its last user left it but for the links. The thread is the calling one.
    #[inline(always)]
    pub(crate) fn take(&self, thread: &'static Thread) -> Option<&'static T> {
        let first = thread.word(T::UNUSED).load(Relaxed);
        let record = if self.offset(first).is_some() {
            // SAFETY: a record's address, from `give` or `refill`; then as in `at`.
            unsafe { &*(first as *const T) }
        } else {
            self.refill(thread)?
        };
        thread.word(T::UNUSED).store(record.next().load(Relaxed), Relaxed);
        thread.word(T::COUNT).store(thread.word(T::COUNT).load(Relaxed).saturating_sub(1), Relaxed);
        Some(record)
    }

    /// The record is unused from now on. The thread is the calling one.
    #[inline]
    pub(crate) fn give(&self, thread: &'static Thread, record: &'static T) {
        if thread.word(T::COUNT).load(Relaxed) >= 2 * LIST {
            self.spare(thread);
        }
        record.next().store(thread.word(T::UNUSED).load(Relaxed), Relaxed);
        thread.word(T::UNUSED).store(address_of(Some(record)), Relaxed);
        thread.word(T::COUNT).store(thread.word(T::COUNT).load(Relaxed) + 1, Relaxed);
    }

    /// Gives a thread's unused records to whoever needs them. The first of them links this list to the next one.
    #[cold]
    fn spare(&self, thread: &'static Thread) {
        // SAFETY: as in `take`.
        let Some(head) = (unsafe { self.at(thread.word(T::UNUSED).swap(0, Relaxed)) }) else { return };
        thread.word(T::COUNT).store(0, Relaxed);
        self.spare_list(head);
    }

    /// As [`give`](Self::give), of a thread that has no record.
    #[cold]
    pub(crate) fn give_to_all(&self, record: &'static T) {
        record.next().store(0, Relaxed);
        self.spare_list(record);
    }

    /// Whoever needs records takes this list.
    fn spare_list(&self, head: &'static T) {
        let mut before = self.spare.load(Relaxed);
        loop {
            head.next_list().store(before & ADDRESS, Relaxed);
            match self.spare.compare_exchange_weak(before, spare(address_of(Some(head)), before), AcqRel, Relaxed) {
                Ok(_) => return,
                Err(other) => before = other,
            }
        }
    }

    /// The first of records that are the thread's from now on.
    #[cold]
    fn refill(&self, thread: &'static Thread) -> Option<&'static T> {
        let mut before = self.spare.load(Acquire);
        // SAFETY: a record's address, from `spare`.
        while let Some(head) = unsafe { self.at(before & ADDRESS) } {
            let next = head.next_list().load(Relaxed) & ADDRESS;
            match self.spare.compare_exchange_weak(before, spare(next, before), AcqRel, Acquire) {
                Ok(_) => {
                    thread.word(T::COUNT).store(2 * LIST, Relaxed);
                    return Some(head);
                }
                Err(other) => before = other,
            }
        }
        let (start, bytes) = (self.start.load(Acquire), LIST * Self::SIZE);
        let length = self.length.load(Relaxed);
        // Never more than there is, not even for a moment: `at` goes by it.
        let more = |used| Some(used + bytes).filter(|used| *used <= length);
        let used = self.used.fetch_update(AcqRel, Relaxed, more).ok()?;
        let mut first = None;
        for index in (0..LIST).rev() {
            // SAFETY: so many whole records lie before it.
            let record = unsafe { self.at(start + used + index * Self::SIZE) }?;
            record.next().store(address_of(first), Relaxed);
            first = Some(record);
        }
        thread.word(T::COUNT).store(LIST, Relaxed);
        first
    }
}

/// The word for spare lists that begin at `address`, after the word `before`.
fn spare(address: u64, before: u64) -> u64 {
    address | (before & !ADDRESS).wrapping_add(ADDRESS + 1)
}

fn address_of<T>(record: Option<&'static T>) -> u64 {
    record.map_or(0, |record| from_ref(record) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompt_core::thread::here;
    use std::collections::BTreeSet;
    use std::iter::{from_fn, repeat_with};
    use std::thread;

    /// Not a power of two long.
    struct Three([AtomicU64; 3]);

    // SAFETY: atomics only, for which zero is a value.
    unsafe impl Zeroed for Three {}

    impl Pooled for Three {
        const UNUSED: usize = 0;
        const COUNT: usize = 1;

        fn next(&self) -> &AtomicU64 {
            &self.0[0]
        }

        fn next_list(&self) -> &AtomicU64 {
            &self.0[1]
        }
    }

    /// Takes so many on a thread of its own, gives them back, and says where they are.
    fn taken_and_given(pool: &'static Pool<Three>, count: usize) -> BTreeSet<u64> {
        let visit = move || {
            let thread = here().unwrap();
            let all: BTreeSet<_> = repeat_with(|| from_ref(pool.take(thread).unwrap()) as u64).take(count).collect();
            all.iter().for_each(|address| pool.give(thread, pool.beginning_at(*address).unwrap()));
            all
        };
        thread::spawn(visit).join().unwrap()
    }

    #[test]
    fn without_a_range_there_is_nothing() {
        static POOL: Pool<Three> = Pool::new();
        assert!(POOL.take(here().unwrap()).is_none());
        assert!(POOL.beginning_at(0).is_none());
    }

    #[test]
    fn a_record_begins_nowhere_but_at_its_first_byte() {
        static POOL: Pool<Three> = Pool::new();
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
        static POOL: Pool<Three> = Pool::new();
        POOL.set_up();
        let work = |number: u64| {
            let thread = here().unwrap();
            for _ in 0..200 {
                // Five lists, more than a thread keeps: they go from one to the other.
                let records = [(); 320].map(|()| POOL.take(thread).unwrap());
                records.iter().for_each(|record| assert_eq!(record.0[2].swap(number, Relaxed), 0));
                for record in records {
                    assert_eq!(record.0[2].swap(0, Relaxed), number);
                    POOL.give(thread, record);
                }
            }
        };
        thread::scope(|scope| (1..=4).for_each(|number| _ = scope.spawn(move || work(number))));
    }

    #[test]
    fn what_a_thread_has_too_much_of_another_one_takes() {
        static POOL: Pool<Three> = Pool::new();
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
        static POOL: Pool<Three> = Pool::new();
        POOL.set_up();
        let one = thread::spawn(|| POOL.take(here().unwrap()).map(|one| from_ref(one) as u64)).join().unwrap().unwrap();
        thread::spawn(move || POOL.give_to_all(POOL.beginning_at(one).unwrap())).join().unwrap();
        let used = POOL.used.load(Relaxed);
        // That list has one record; the next one is new.
        let taken = thread::spawn(|| [(); 2].map(|()| from_ref(POOL.take(here().unwrap()).unwrap()) as u64));
        assert_eq!(taken.join().unwrap()[0], one);
        assert_eq!(POOL.used.load(Relaxed), used + LIST * 24);
    }

    #[test]
    fn a_list_that_comes_back_is_told_from_what_it_was() {
        let first = spare(64, 0);
        let again = spare(64, spare(128, first));
        assert_eq!([first & ADDRESS, again & ADDRESS], [64, 64]);
        assert_ne!(first, again);
    }

    #[test]
    fn the_range_ends_with_a_whole_list() {
        static POOL: Pool<Three> = Pool::new();
        POOL.set_up();
        POOL.length.store(3 * LIST * 24 - 1, Relaxed);
        let thread = here().unwrap();
        let taken = from_fn(|| POOL.take(thread)).count();
        assert_eq!(taken as u64, 2 * LIST);
        assert_eq!(POOL.used.load(Relaxed), 2 * LIST * 24);
    }

    #[test]
    fn what_is_no_record_of_the_pool_is_not_taken() {
        static POOLS: [Pool<Three>; 2] = [Pool::new(), Pool::new()];
        POOLS.iter().for_each(Pool::set_up);
        let thread = here().unwrap();
        for pool in [0, 1, 0] {
            let record = POOLS[pool].take(thread).unwrap();
            assert!(POOLS[pool].beginning_at(from_ref(record) as u64).is_some(), "{pool}");
        }
    }
}
