//! Tasks that wait in the runtime's pool, by their ids: from the end of a creation to the start of the execution, which may
//! be on another thread. Unsafe: the memory, which comes from `mmap`.
//!
//! An execution may start, and even end, before the creating thread is notified of the creation's end: whichever comes first leaves
//! a message for the other.
//!
//! Ids are consecutive, so a task's bucket follows from its id, and neighbours share one; tasks that do not fit there go to a
//! larger table that otherwise stays untouched. A bucket is guarded by a word that is tried for a bounded time: a thread that
//! can't get it (its holder was stopped, or a signal handler interrupted it) gives up and the task goes untimed. So nothing
//! here can block forever. Tasks that a runtime drops stay in the table until the end.
#![allow(unsafe_code)]

use std::ptr::{self, NonNull};
use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::time::Duration;

const CAPACITY: usize = 3;
const NEAR: usize = 4096;
const MAX_DISTANCE: usize = 1 << 17;
/// Number of tries of a bucket: spinning, yielding, sleeping. About 20 ms in total.
const SPINS: u32 = 256;
const YIELDS: u32 = 64;
const NAPS: u32 = 100;
/// Number of buckets of the larger table that are searched for one id.
const REACH: usize = 4;

/// Facts about a task that the creating thread has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Created {
    /// Time, in ticks, at which its creation had ended.
    pub(super) at: u64,
    /// Its place: an address, or one of `layout::place`.
    pub(super) place: u64,
    /// Its level in the tree, from 1.
    pub(super) level: u32,
    /// Its index in the list of instances, plus one.
    pub(super) instance: u32,
}

/// Facts about a task that the executing thread has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Executed {
    pub(super) execution: u64,
    pub(super) suspension: u64,
    pub(super) children: u32,
    /// The number of its thread, plus one.
    pub(super) executor: u32,
}

/// Message about a task that one thread leaves for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// It was created.
    Created(Created),
    /// It is being executed; its creation has not ended.
    Started,
    /// It is being executed; its creation ended meanwhile.
    Told(Created),
    /// It was executed; its creation has not ended.
    Executed(Executed),
}

/// The table of a process.
#[derive(Debug)]
pub(super) struct Pool {
    near: Buckets,
    far: Buckets,
}

/// Mapped buckets: valid when all zero.
#[derive(Clone, Copy, Debug)]
struct Buckets {
    start: NonNull<Bucket>,
    length: usize,
}

// SAFETY: a pool doesn't belong to a thread: its buckets are made of atomics, and stay mapped.
unsafe impl Send for Pool {}
// SAFETY: all that threads share of a pool is atomic: its buckets are made of atomics.
unsafe impl Sync for Pool {}

#[repr(C, align(128))]
#[derive(Debug)]
struct Bucket {
    taken: AtomicBool,
    kinds: [AtomicU8; CAPACITY],
    /// Number of tasks of this bucket that are in the larger table.
    elsewhere: AtomicU32,
    _room: [u64; 3],
    places: [Place; CAPACITY],
}

#[repr(C)]
#[derive(Debug)]
struct Place {
    id: AtomicU64,
    words: [AtomicU64; 3],
}

const _: () = assert!(size_of::<Bucket>() == 128);

impl Pool {
    /// An empty pool; `None` if the system refuses the memory.
    pub(super) fn new() -> Option<Self> {
        Some(Self { near: Buckets::map(NEAR)?, far: Buckets::map(MAX_DISTANCE)? })
    }

    /// Forgets everything, in a process that is a copy of another one.
    pub(super) fn clear(&self) {
        self.near.clear();
        self.far.clear();
    }

    /// Calls `then` while a task can't be looked up.
    #[cfg(test)]
    pub(super) fn without<R>(&self, id: u64, then: impl FnOnce() -> R) -> R {
        let _held = self.near.bucket((id >> 1) as usize).take().unwrap();
        then()
    }

    /// Looks up a task's message (`None` without one) and stores what `change` makes of it. Returns false if that was not
    /// possible because space or time ran out.
    pub(super) fn update(&self, id: u64, change: impl FnOnce(Option<Word>) -> Option<Word>) -> bool {
        // Neighbours share a bucket, and there is still space for a third one.
        let near = self.near.bucket((id >> 1) as usize);
        let Some(held) = near.take() else { return false };
        if let Some(place) = held.find(id) {
            held.set(place, id, change(held.get(place)));
            return true;
        }
        let start = spread(id);
        let reach = || (0..REACH).map(|step| self.far.bucket(start.wrapping_add(step)));
        if near.elsewhere.load(Relaxed) > 0 {
            for bucket in reach() {
                let Some(far) = bucket.take() else { return false };
                if let Some(place) = far.find(id) {
                    let kept = change(far.get(place));
                    far.set(place, id, kept);
                    if kept.is_none() {
                        near.elsewhere.store(near.elsewhere.load(Relaxed) - 1, Relaxed);
                    }
                    return true;
                }
            }
        }
        let Some(word) = change(None) else { return true };
        if let Some(free) = held.find(0) {
            held.set(free, id, Some(word));
            return true;
        }
        for bucket in reach() {
            let Some(far) = bucket.take() else { return false };
            if let Some(free) = far.find(0) {
                far.set(free, id, Some(word));
                near.elsewhere.store(near.elsewhere.load(Relaxed) + 1, Relaxed);
                return true;
            }
        }
        false
    }
}

fn spread(id: u64) -> usize {
    (id.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize
}

impl Buckets {
    fn map(length: usize) -> Option<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let bytes = length * size_of::<Bucket>();
        // SAFETY: a new mapping at a place that the kernel chooses touches nobody's memory.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        Some(Self { start: NonNull::new(start.cast())?, length })
    }

    fn clear(self) {
        // SAFETY: mapped by `map`, private: the pages read as zero afterwards, which is valid.
        unsafe { libc::madvise(self.start.as_ptr().cast(), self.length * size_of::<Bucket>(), libc::MADV_DONTNEED) };
    }

    /// The bucket with this number, modulo the length.
    fn bucket(&self, number: usize) -> &Bucket {
        // SAFETY: within the mapping, whose length is `length`.
        let bucket = unsafe { self.start.add(number % self.length) };
        // SAFETY: never unmapped; atomics, valid when all zero.
        unsafe { bucket.as_ref() }
    }
}

/// A bucket that this thread has locked.
struct Held<'a>(&'a Bucket);

impl Bucket {
    fn take(&self) -> Option<Held<'_>> {
        for turn in 0..SPINS + YIELDS + NAPS {
            // Acquire: pairs with the store in `Held::drop`; publishes the bucket's entries.
            if !self.taken.load(Relaxed) && self.taken.compare_exchange_weak(false, true, Acquire, Relaxed).is_ok() {
                return Some(Held(self));
            }
            match turn {
                ..SPINS => std::hint::spin_loop(),
                turn if turn < SPINS + YIELDS => std::thread::yield_now(),
                // The holder has lost its processor.
                _ => std::thread::sleep(Duration::from_micros(100)),
            }
        }
        None
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // Release: pairs with the compare-exchange in `Bucket::take`; publishes the bucket's entries.
        self.0.taken.store(false, Release);
    }
}

impl Held<'_> {
    fn find(&self, id: u64) -> Option<usize> {
        self.0.places.iter().position(|place| place.id.load(Relaxed) == id)
    }

    fn get(&self, place: usize) -> Option<Word> {
        let kind = self.0.kinds.get(place)?.load(Relaxed);
        let [a, b, c] = &self.0.places.get(place)?.words;
        let (a, b, c) = (a.load(Relaxed), b.load(Relaxed), c.load(Relaxed));
        Some(match kind {
            0 => Word::Started,
            1 => Word::Executed(Executed { execution: a, suspension: b, children: low(c), executor: low(c >> 32) }),
            kind => {
                let created = Created { at: a, place: b, level: low(c >> 32), instance: low(c) };
                if kind == 2 { Word::Created(created) } else { Word::Told(created) }
            }
        })
    }

    fn set(&self, place: usize, id: u64, word: Option<Word>) {
        let created = |c: Created| [c.at, c.place, u64::from(c.level) << 32 | u64::from(c.instance)];
        let (kind, words) = match word {
            None | Some(Word::Started) => (0, [0; 3]),
            Some(Word::Executed(e)) => {
                (1, [e.execution, e.suspension, u64::from(e.executor) << 32 | u64::from(e.children)])
            }
            Some(Word::Created(c)) => (2, created(c)),
            Some(Word::Told(c)) => (3, created(c)),
        };
        let (Some(to_kind), Some(to)) = (self.0.kinds.get(place), self.0.places.get(place)) else { return };
        to.id.store(if word.is_some() { id } else { 0 }, Relaxed);
        to_kind.store(kind, Relaxed);
        to.words.iter().zip(words).for_each(|(to, word)| to.store(word, Relaxed));
    }
}

/// The low half of a word.
#[allow(clippy::cast_possible_truncation)]
fn low(word: u64) -> u32 {
    word as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn created(at: u64) -> Created {
        Created { at, place: 0xff00_7fff_1234_5678, level: u32::MAX - 1, instance: u32::MAX }
    }

    fn put(pool: &Pool, id: u64) -> bool {
        pool.update(id, |_| Some(Word::Created(created(id))))
    }

    fn take(pool: &Pool, id: u64) -> Option<Word> {
        let mut found = None;
        assert!(pool.update(id, |word| {
            found = word;
            None
        }));
        found
    }

    #[test]
    fn what_one_leaves_the_other_finds_once() {
        let pool = Pool::new().unwrap();
        let executed = Executed { execution: u64::MAX, suspension: 5, children: 7, executor: u32::MAX };
        let words = [Word::Created(created(9)), Word::Told(created(8)), Word::Started, Word::Executed(executed)];
        for (id, word) in (300..).zip(words) {
            assert!(pool.update(id, |before| {
                assert_eq!(before, None);
                Some(word)
            }));
            assert_eq!(take(&pool, id), Some(word));
            assert_eq!(take(&pool, id), None);
        }
    }

    #[test]
    fn more_than_the_near_table_holds_goes_to_the_far_one() {
        let pool = Pool::new().unwrap();
        let many = 100_000;
        let kept: Vec<bool> = (1..=many).map(|id| put(&pool, id)).collect();
        let lost = kept.iter().filter(|kept| !**kept).count();
        assert!(lost < 1000, "{lost}");
        for (id, kept) in (1..).zip(kept) {
            assert_eq!(take(&pool, id), kept.then_some(Word::Created(created(id))));
        }
        let all_zero = (0..NEAR).all(|bucket| pool.near.bucket(bucket).elsewhere.load(Relaxed) == 0);
        assert!(all_zero);
    }

    #[test]
    fn a_full_table_says_so_and_a_cleared_one_is_empty() {
        let pool = Pool::new().unwrap();
        // All of them belong to one bucket, and to few others.
        let same = |n: u64| n * 2 * NEAR as u64 + 2;
        let kept = (0..1_000_000).filter(|n| put(&pool, same(*n))).count();
        assert!((MAX_DISTANCE..MAX_DISTANCE * CAPACITY + CAPACITY + 1).contains(&kept), "{kept}");
        pool.clear();
        assert_eq!(take(&pool, same(0)), None);
        assert!(put(&pool, same(0)));
    }

    #[test]
    fn a_bucket_that_somebody_keeps_is_given_up() {
        let pool = Pool::new().unwrap();
        let held = pool.near.bucket(3).take().unwrap();
        assert!(!put(&pool, 6));
        drop(held);
        assert!(put(&pool, 6));
    }

    #[test]
    fn threads_that_meet_at_one_task_lose_nothing() {
        let pool = Pool::new().unwrap();
        let ids = 1..20_000;
        // Both count the cases in which they find a message of the other; for each task exactly one of them comes
        // second.
        let meet = |mine: Word| {
            let mut second = 0;
            for id in ids.clone() {
                // A thread that is stopped while it has the bucket is given up on: here it is waited for.
                while !pool.update(id, |other| {
                    second += u64::from(other.is_some());
                    if other.is_some() { None } else { Some(mine) }
                }) {}
            }
            second
        };
        let found = std::thread::scope(|scope| {
            let other = scope.spawn(|| meet(Word::Started));
            meet(Word::Created(created(1))) + other.join().unwrap()
        });
        assert_eq!(found, ids.end - ids.start);
    }
}
