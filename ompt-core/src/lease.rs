//! Whose a record is that is used again and again, against readers that come late: on another thread than the one that gives it
//! to the next one, or in a signal handler there. What such a reader gets is all of what it has asked about, or nothing.

use crate::sync::{AtomicU64, Ordering::*, fence};

/// The id of who has the record; 0 while it goes from one to the next.
pub(crate) struct Lease(AtomicU64);

impl Lease {
    #[cfg(loom)]
    fn of(id: u64) -> Self {
        Self(AtomicU64::new(id))
    }

    /// Who has it.
    #[inline(always)]
    pub(crate) fn holder(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// It is nobody's, before anything of the next one is written to it.
    #[inline(always)]
    pub(crate) fn end(&self) {
        self.0.store(0, Relaxed);
        // Pairs with the one in `of_same`: who has read anything that is written from now on sees that the lease is over.
        fence(Release);
    }

    /// All that is to be known of the next one is written.
    #[inline(always)]
    pub(crate) fn begin(&self, id: u64) {
        self.0.store(id, Relaxed);
    }
}

/// What `read` says of the record that `find` finds by its holder; `None` also where it became another one's meanwhile.
pub(crate) fn of_same<'a, R: 'a, T>(find: impl Fn() -> Option<&'a R>, read: impl Fn(&'a R) -> T) -> Option<T> {
    let record = find()?;
    let answer = read(record);
    // Pairs with the one in `end`.
    fence(Acquire);
    find().filter(|again| std::ptr::eq(*again, record)).map(|_| answer)
}

/// `RUSTFLAGS="--cfg loom" cargo test -p ompt-core --lib --release`
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::link::Link;
    use loom::sync::Arc;
    use loom::thread;

    const OLD: u64 = 1;
    const NEW: u64 = 2;

    /// A region, say: whose it is, and two words of which both are the one's or the other's.
    struct Record {
        lease: Lease,
        size: AtomicU64,
        function: AtomicU64,
    }

    impl Record {
        fn old() -> Self {
            Self { lease: Lease::of(OLD), size: AtomicU64::new(OLD), function: AtomicU64::new(OLD) }
        }

        fn pass_on(&self) {
            self.lease.end();
            self.size.store(NEW, Relaxed);
            self.function.store(NEW, Relaxed);
            self.lease.begin(NEW);
        }

        fn of(&self, id: u64) -> Option<(u64, u64)> {
            let read = |it: &Self| (it.size.load(Relaxed), it.function.load(Relaxed));
            of_same(|| (self.lease.holder() == id).then_some(self), read)
        }
    }

    #[test]
    fn who_comes_late_reads_all_of_what_it_asked_about_or_nothing() {
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
    fn who_is_led_to_a_record_reads_all_of_its_new_holder() {
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
