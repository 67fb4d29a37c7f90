//! A number and the key that it belongs to, which readers get together: a seqlock whose version is the key.

use crate::sync::{AtomicU64, Ordering::*};

/// Value of the key while the word is being written: later than every key.
const BEING_WRITTEN: u64 = u64::MAX;

/// Key and number, with one writer at a time. Later keys are larger. All zero is a word without a key.
///
/// ```
/// use system::memory::{Keyed, KeyedWord};
///
/// static WORD: KeyedWord = {
///     // SAFETY: zero is a value of the type: no key.
///     unsafe { std::mem::zeroed() }
/// };
///
/// WORD.put(5, 70);
/// assert_eq!([4, 5, 6].map(|key| WORD.get(key)), [Keyed::Later, Keyed::Number(70), Keyed::Earlier]);
/// ```
#[repr(C)]
#[derive(Debug)]
pub struct KeyedWord {
    key: AtomicU64,
    number: AtomicU64,
}

/// Result of looking up a key's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// The key's number.
    Number(u64),
    /// The word has an earlier key.
    Earlier,
    /// The word has a later key, or is just getting one.
    Later,
}

impl KeyedWord {
    #[cfg(loom)]
    fn empty() -> Self {
        Self { key: AtomicU64::new(0), number: AtomicU64::new(0) }
    }

    /// Stores a key, which is not 0, with its number.
    pub fn put(&self, key: u64, number: u64) {
        self.key.store(BEING_WRITTEN, Relaxed);
        // Release: pairs with the load of the number in `get`, whose second load of the key then sees `BEING_WRITTEN`.
        self.number.store(number, Release);
        // Release: pairs with the first load of the key in `get`; publishes the number.
        self.key.store(key, Release);
    }

    /// The number of a key. Async-signal-safe.
    pub fn get(&self, key: u64) -> Keyed {
        // Acquire: pairs with the store of the key in `put`; publishes its number.
        let found = self.key.load(Acquire);
        // Acquire: pairs with the store of the number in `put`: if the number belongs to a later key, the second load
        // below sees `BEING_WRITTEN`, or that key.
        let number = self.number.load(Acquire);
        match found {
            found if found == key && self.key.load(Relaxed) == key => Keyed::Number(number),
            found if found >= key => Keyed::Later,
            _ => Keyed::Earlier,
        }
    }
}

/// `RUSTFLAGS="--cfg loom" cargo test -p ora-system --lib --release`
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    #[test]
    fn a_number_is_that_of_its_key_while_another_one_is_stored() {
        loom::model(|| {
            let word = Arc::new(KeyedWord::empty());
            word.put(1, 10);
            let reader = {
                let word = word.clone();
                thread::spawn(move || {
                    assert!([Keyed::Number(10), Keyed::Later].contains(&word.get(1)));
                    assert!([Keyed::Earlier, Keyed::Number(20), Keyed::Later].contains(&word.get(2)));
                })
            };
            word.put(2, 20);
            assert_eq!([word.get(1), word.get(2)], [Keyed::Later, Keyed::Number(20)]);
            reader.join().unwrap();
        });
    }
}
