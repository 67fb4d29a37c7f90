//! Generation counter of a reusable record: a reader that still holds an old generation gets `None`, never another
//! owner's data. Readers may be on a different thread than the one that passes the record on, or in a signal handler on
//! that thread.

use crate::sync::{AtomicU64, Ordering::*, fence};

/// The id of the record's owner; 0 while the record passes from one owner to the next.
#[derive(Debug)]
pub struct Generation(AtomicU64);

impl Generation {
    #[cfg(loom)]
    fn of(id: u64) -> Self {
        Self(AtomicU64::new(id))
    }

    /// The owner's id. Async-signal-safe.
    #[inline(always)]
    pub fn owner(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Ends the generation. Called before anything of the next owner is written to the record.
    #[inline(always)]
    pub fn end(&self) {
        self.0.store(0, Relaxed);
        // Release: pairs with the fence in `read_same`. A reader that sees a later write also sees that the generation
        // has ended.
        fence(Release);
    }

    /// Begins the next generation. Called when the record is complete.
    #[inline(always)]
    pub fn begin(&self, id: u64) {
        self.0.store(id, Relaxed);
    }
}

/// The result of `read` on the record that `find` returns for its owner; `None` also if the owner changed meanwhile.
/// Async-signal-safe if both functions are.
///
/// ```
/// use system::memory::{Generation, read_same};
///
/// static RECORD: Generation = {
///     // SAFETY: zero is a value of the type (`Zeroed`): no owner.
///     unsafe { std::mem::zeroed() }
/// };
///
/// RECORD.begin(7);
/// let of = |id| read_same(|| (RECORD.owner() == id).then_some(&RECORD), Generation::owner);
/// assert_eq!(of(7), Some(7));
/// RECORD.end();
/// RECORD.begin(8);
/// assert_eq!((of(7), of(8)), (None, Some(8)));
/// ```
pub fn read_same<'a, R: 'a, T>(find: impl Fn() -> Option<&'a R>, read: impl Fn(&'a R) -> T) -> Option<T> {
    let record = find()?;
    let answer = read(record);
    // Acquire: pairs with the fence in `Generation::end`.
    fence(Acquire);
    find().filter(|again| std::ptr::eq(*again, record)).map(|_| answer)
}

/// `RUSTFLAGS="--cfg loom" cargo test -p ora-system --lib --release`
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::memory::Link;
    use loom::sync::Arc;
    use loom::thread;

    const OLD: u64 = 1;
    const NEW: u64 = 2;

    /// A record of two words that belong to the same owner.
    struct Record {
        generation: Generation,
        size: AtomicU64,
        function: AtomicU64,
    }

    impl Record {
        fn old() -> Self {
            Self { generation: Generation::of(OLD), size: AtomicU64::new(OLD), function: AtomicU64::new(OLD) }
        }

        fn pass_on(&self) {
            self.generation.end();
            self.size.store(NEW, Relaxed);
            self.function.store(NEW, Relaxed);
            self.generation.begin(NEW);
        }

        fn of(&self, id: u64) -> Option<(u64, u64)> {
            let read = |it: &Self| (it.size.load(Relaxed), it.function.load(Relaxed));
            read_same(|| (self.generation.owner() == id).then_some(self), read)
        }
    }

    #[test]
    fn a_late_reader_gets_one_owners_data_or_nothing() {
        loom::model(|| {
            let record = Arc::new(Record::old());
            let late = {
                let record = record.clone();
                thread::spawn(move || assert!([Some((OLD, OLD)), None].contains(&record.of(OLD))))
            };
            record.pass_on();
            assert_eq!((record.of(OLD), record.of(NEW)), (None, Some((NEW, NEW))));
            late.join().unwrap();
        });
    }

    #[test]
    fn a_reader_that_follows_a_link_gets_the_new_owners_data() {
        loom::model(|| {
            let record: &'static Record = Box::leak(Box::new(Record::old()));
            let link = Arc::new(Link::none());
            let reader = {
                let link = link.clone();
                thread::spawn(move || {
                    if let Some(record) = link.get() {
                        assert_eq!(Record::of(record, NEW), Some((NEW, NEW)));
                    }
                })
            };
            record.pass_on();
            link.set(Some(record));
            reader.join().unwrap();
        });
    }
}
