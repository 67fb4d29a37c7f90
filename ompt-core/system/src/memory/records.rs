//! Type-stable list of records: any thread may take one and give it back; none is ever freed. Unsafe: the free ones are linked by their
//! addresses.
#![allow(unsafe_code)]

use super::{Link, TreiberStack};
use crate::sync::{AtomicBool, AtomicU64, Ordering::*, const_unless_loom};
use std::ptr::{from_ref, with_exposed_provenance};

/// A record with a flag for "taken" and two links.
pub trait Record: Sync + Sized + 'static {
    /// The flag: true while the record is taken.
    fn used(&self) -> &AtomicBool;
    /// The link to the next record.
    fn next(&self) -> &Link<Self>;
    /// The link to the next free record, while this one is free.
    fn next_free(&self) -> &AtomicU64;
}

/// All records of one type.
#[derive(Debug)]
pub struct Records<T> {
    all: Link<T>,
    free: TreiberStack,
}

impl<T: Record> Records<T> {
    const_unless_loom! {
        /// The empty list.
        pub none => Self { all: Link::none(), free: TreiberStack::empty() }
    }

    /// All records, taken or not. Async-signal-safe.
    pub fn all(&self) -> impl Iterator<Item = &'static T> {
        std::iter::successors(self.all.get(), |record| record.next().get())
    }

    /// Takes a free record. If there is none, `more` makes a slice of new ones. `None` if that fails.
    pub fn take(&self, more: impl FnOnce() -> Option<&'static [T]>) -> Option<&'static T> {
        // What the last owner did with the record happens-before this one's use, by the stack's push and pop.
        if let Some(record) = self.free.pop(|address| at::<T>(address).map(T::next_free)).and_then(at::<T>) {
            // Release: publishes to a reader of the flag that the record has an owner.
            record.used().store(true, Release);
            return Some(record);
        }
        let [own, others @ ..] = more()? else { return None };
        own.used().store(true, Relaxed);
        std::iter::once(own).chain(others).for_each(|record| self.add(record));
        others.iter().for_each(|record| self.push(record));
        Some(own)
    }

    /// Makes a record free.
    pub fn give_back(&self, record: &'static T) {
        if record.used().swap(false, Relaxed) {
            self.push(record);
        }
    }

    /// Makes all records but one free. Called while no other thread uses them, in a forked child: a thread that doesn't exist there may
    /// have been about to take or free one.
    pub fn give_back_others(&self, own: Option<&'static T>) {
        self.free.clear();
        for record in self.all().filter(|record| !own.is_some_and(|own| std::ptr::eq(own, *record))) {
            record.used().store(false, Relaxed);
            self.push(record);
        }
    }

    fn push(&self, record: &'static T) {
        self.free.push(from_ref(record).expose_provenance() as u64, record.next_free());
    }

    fn add(&self, record: &'static T) {
        loop {
            let first = self.all.get();
            record.next().set(first);
            if self.all.replace(first, record) {
                break;
            }
        }
    }
}

/// The record at an address that `push` has pushed; `None` for 0.
fn at<T>(address: u64) -> Option<&'static T> {
    let place = with_exposed_provenance::<T>(usize::try_from(address).ok()?);
    // SAFETY: null, or the address of a record that `push` got by a reference for ever.
    unsafe { place.as_ref() }
}

#[cfg(all(test, not(loom)))]
#[allow(clippy::disallowed_types)] // no program's thread runs this
mod tests {
    use super::*;

    #[derive(Default)]
    struct Slip {
        used: AtomicBool,
        next: Link<Slip>,
        next_free: AtomicU64,
    }

    impl Record for Slip {
        fn used(&self) -> &AtomicBool {
            &self.used
        }
        fn next(&self) -> &Link<Self> {
            &self.next
        }
        fn next_free(&self) -> &AtomicU64 {
            &self.next_free
        }
    }

    #[test]
    fn a_free_record_is_taken_before_new_ones_are_made() {
        let slips = Records::none();
        let page = || Some(&*Box::leak(Box::new([(); 3].map(|()| Slip::default()))));
        let take = || slips.take(|| page().map(|page| page.as_slice())).unwrap();
        let first: [&Slip; 3] = [(); 3].map(|()| take());
        assert_eq!(slips.all().count(), 3, "one page");
        slips.give_back(first[1]);
        slips.give_back(first[1]);
        assert!(std::ptr::eq(take(), first[1]));
        assert!(first.iter().all(|slip| !std::ptr::eq(take(), *slip)), "given back once");
        slips.give_back_others(Some(first[0]));
        let free = slips.all().filter(|slip| !slip.used.load(Relaxed)).count();
        assert_eq!((free, slips.all().count()), (5, 6));
        assert!([(); 5].iter().all(|()| !std::ptr::eq(take(), first[0])));
        assert_eq!(slips.all().count(), 6);
    }
}

/// `RUSTFLAGS="--cfg loom" cargo test -p ora-system --lib --release`
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    struct Slip {
        used: AtomicBool,
        next: Link<Slip>,
        next_free: AtomicU64,
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
        fn next_free(&self) -> &AtomicU64 {
            &self.next_free
        }
    }

    /// A page with one record: threads that come at the same time have to make their own.
    fn page() -> Option<&'static [Slip]> {
        Some(Box::leak(Box::new([Slip {
            used: AtomicBool::new(false),
            next: Link::none(),
            next_free: AtomicU64::new(0),
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
            slips.give_back(take(&slips));
            at_once(slips, |slips| slips.give_back(take(slips)));
        });
    }
}
