//! Treiber stack of records that are never freed, with a count against ABA (Treiber, "Systems Programming: Coping with
//! Parallelism", 1986).

use crate::sync::{AtomicU32, AtomicU64, Ordering::*, const_unless_loom};

/// Bits of the word that hold an address; the others hold the count. Addresses of programs have 47 bits.
const ADDRESS: u64 = (1 << 48) - 1;

/// The word of a record that links it to the next one: an address, or a number above 0 that represents it.
pub trait StackLink {
    /// The next record, or 0.
    fn get(&self) -> u64;
    /// Links to the next record.
    fn set(&self, next: u64);
}

impl StackLink for AtomicU64 {
    fn get(&self) -> u64 {
        self.load(Relaxed)
    }

    fn set(&self, next: u64) {
        self.store(next, Relaxed);
    }
}

/// For numbers of 32 bits.
impl StackLink for AtomicU32 {
    fn get(&self) -> u64 {
        self.load(Relaxed).into()
    }

    #[allow(clippy::cast_possible_truncation)] // a number that was pushed has 32 bits
    fn set(&self, next: u64) {
        self.store(next as u32, Relaxed);
    }
}

/// The stack: the address of the record that was pushed last, or 0, and a count of changes.
///
/// ```
/// use std::sync::atomic::AtomicU64;
/// use system::memory::TreiberStack;
///
/// static STACK: TreiberStack = TreiberStack::empty();
/// // The links of records 1 and 2; 0 is not a record.
/// static LINKS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];
///
/// let link = |record: u64| LINKS.get(usize::try_from(record).ok()?).filter(|_| record != 0);
/// STACK.push(1, &LINKS[1]);
/// STACK.push(2, &LINKS[2]);
/// assert_eq!([STACK.pop(link), STACK.pop(link), STACK.pop(link)], [Some(2), Some(1), None]);
/// ```
#[derive(Debug)]
pub struct TreiberStack(AtomicU64);

impl TreiberStack {
    const_unless_loom! {
        /// The empty stack.
        pub empty => Self(AtomicU64::new(0))
    }

    /// Forgets all records, in a forked child: no other thread uses the stack.
    pub fn clear(&self) {
        self.0.store(0, Relaxed);
    }

    /// Pushes the record at `address`, whose link is `next`.
    pub fn push(&self, address: u64, next: &impl StackLink) {
        let mut before = self.0.load(Relaxed);
        loop {
            next.set(before & ADDRESS);
            // Release: pairs with the loads in `pop`, which see the link and what its owner has written to the record.
            match self.0.compare_exchange_weak(before, changed(before, address), Release, Relaxed) {
                Ok(_) => return,
                Err(other) => before = other,
            }
        }
    }

    /// Pops the address of the record that was pushed last; `next` returns its link. The stack's records are never
    /// freed, so a link may be read after another thread has taken the record. The count then makes the exchange fail,
    /// so that the stale link is discarded.
    pub fn pop<'a, L: StackLink + 'a>(&self, next: impl Fn(u64) -> Option<&'a L>) -> Option<u64> {
        // Acquire: pairs with the compare-exchange in `push`.
        let mut before = self.0.load(Acquire);
        loop {
            let address = before & ADDRESS;
            let after = next(address)?.get() & ADDRESS;
            match self.0.compare_exchange_weak(before, changed(before, after), Acquire, Acquire) {
                Ok(_) => return Some(address),
                Err(other) => before = other,
            }
        }
    }
}

/// The word for `address`, after the word `before`.
fn changed(before: u64, address: u64) -> u64 {
    address | (before & !ADDRESS).wrapping_add(ADDRESS + 1)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_comes_back_makes_another_word() {
        let first = changed(0, 64);
        let again = changed(changed(first, 128), 64);
        assert_eq!([first & ADDRESS, again & ADDRESS], [64, 64]);
        assert_ne!(first, again);
    }

    #[test]
    fn records_come_back_in_the_reverse_order() {
        let (stack, links) = (TreiberStack::empty(), [const { AtomicU64::new(0) }; 4]);
        let link = |address: u64| links.get(usize::try_from(address).unwrap()).filter(|_| address != 0);
        [1, 2, 3].iter().for_each(|address| stack.push(*address, link(*address).unwrap()));
        assert_eq!([(); 4].map(|()| stack.pop(link)), [Some(3), Some(2), Some(1), None]);
    }
}

/// `RUSTFLAGS="--cfg loom" cargo test -p ora-system --lib --release`
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    /// A stack of three records, each of which has one owner at a time.
    struct Records {
        stack: TreiberStack,
        links: [AtomicU64; 3],
        owners: [UnsafeCell<u32>; 3],
    }

    impl Records {
        fn new() -> Arc<Self> {
            let links = [(); 3].map(|()| AtomicU64::new(0));
            let records = Self { stack: TreiberStack::empty(), links, owners: [(); 3].map(|()| UnsafeCell::new(0)) };
            (1..=3).for_each(|address| records.push(address));
            Arc::new(records)
        }

        fn index(address: u64) -> Option<usize> {
            usize::try_from(address).ok()?.checked_sub(1)
        }

        fn push(&self, address: u64) {
            self.stack.push(address, &self.links[Self::index(address).unwrap()]);
        }

        fn pop(&self) -> u64 {
            let address = self.stack.pop(|address| Some(&self.links[Self::index(address)?])).expect("there is one");
            // loom reports an error if another thread is using it.
            self.owners[Self::index(address).unwrap()].with_mut(|_| ());
            address
        }
    }

    #[test]
    fn a_record_has_one_owner_also_where_it_comes_back_meanwhile() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let records = Records::new();
            let other = {
                let records = records.clone();
                thread::spawn(move || records.pop())
            };
            let (first, second) = (records.pop(), records.pop());
            records.push(first);
            let theirs = other.join().unwrap();
            assert_ne!(theirs, second);
            let left = records.pop();
            assert!(left != theirs && left != second);
        });
    }
}
