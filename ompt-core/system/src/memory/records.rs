//! Type-stable list of records: any thread may take one and give it back; none is ever freed.

use super::Link;
use crate::sync::{AtomicBool, Ordering::*, const_unless_loom};

/// A record with a flag for "taken" and a link to the next one of the list.
pub trait Record: Sync + Sized + 'static {
    /// The flag: true while the record is taken.
    fn used(&self) -> &AtomicBool;
    /// The link to the next record.
    fn next(&self) -> &Link<Self>;
}

/// All records of one type.
#[derive(Debug)]
pub struct Records<T>(Link<T>);

impl<T: Record> Records<T> {
    const_unless_loom! {
        /// The empty list.
        pub none => Self(Link::none())
    }

    /// All records, taken or not. Async-signal-safe.
    pub fn all(&self) -> impl Iterator<Item = &'static T> {
        std::iter::successors(self.0.get(), |record| record.next().get())
    }

    /// Takes a free record. If there is none, `more` makes a slice of new ones. `None` if that fails.
    pub fn take(&self, more: impl FnOnce() -> Option<&'static [T]>) -> Option<&'static T> {
        // Acquire: pairs with the store in `give_back`; what the last owner did with the record happens-before this
        // one's use.
        let take = |record: &&T| {
            !record.used().load(Relaxed) && record.used().compare_exchange(false, true, AcqRel, Relaxed).is_ok()
        };
        if let Some(record) = self.all().find(take) {
            return Some(record);
        }
        let [own, others @ ..] = more()? else { return None };
        // Before other threads see it: they may take any record that they find.
        own.used().store(true, Relaxed);
        std::iter::once(own).chain(others).for_each(|record| self.add(record));
        Some(own)
    }

    /// Makes a record free.
    pub fn give_back(record: &T) {
        // Release: pairs with the compare-exchange in `take`.
        record.used().store(false, Release);
    }

    fn add(&self, record: &'static T) {
        loop {
            let first = self.0.get();
            record.next().set(first);
            if self.0.replace(first, record) {
                break;
            }
        }
    }
}

/// `RUSTFLAGS="--cfg loom" cargo test -p ora-system --lib --release`
#[cfg(all(test, loom))]
#[allow(unsafe_code)] // what only one thread may touch at a time
mod models {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    struct Slip {
        used: AtomicBool,
        next: Link<Slip>,
        owners: UnsafeCell<u32>,
    }

    // SAFETY: loom checks that no two threads touch it at the same time.
    unsafe impl Sync for Slip {}

    impl Record for Slip {
        fn used(&self) -> &AtomicBool {
            &self.used
        }
        fn next(&self) -> &Link<Self> {
            &self.next
        }
    }

    /// A page with one record: threads that come at the same time have to make their own.
    fn page() -> Option<&'static [Slip]> {
        Some(Box::leak(Box::new([Slip {
            used: AtomicBool::new(false),
            next: Link::none(),
            owners: UnsafeCell::new(0),
        }])))
    }

    fn take(slips: &Records<Slip>) -> &'static Slip {
        let slip = slips.take(page).expect("there is memory");
        slip.owners.with_mut(|_| ());
        slip
    }

    fn at_once(slips: Records<Slip>, each: fn(&Records<Slip>)) -> Arc<Records<Slip>> {
        let slips = Arc::new(slips);
        let thread = {
            let slips = slips.clone();
            thread::spawn(move || each(&slips))
        };
        each(&slips);
        thread.join().unwrap();
        slips
    }

    #[test]
    fn each_thread_gets_a_record_of_its_own() {
        loom::model(|| {
            let slips = at_once(Records::none(), |slips| _ = take(slips));
            assert_eq!(slips.all().filter(|slip| slip.used.load(Relaxed)).count(), 2);
        });
    }

    #[test]
    fn a_record_that_is_given_back_and_taken_again_has_one_owner_at_a_time() {
        loom::model(|| {
            let slips = Records::none();
            Records::give_back(take(&slips));
            at_once(slips, |slips| Records::give_back(take(slips)));
        });
    }
}
