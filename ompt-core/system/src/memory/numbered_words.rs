//! Words of an owner with a number, in a place that passes from owner to owner: a seqlock whose sequence word is the number. Readers,
//! which may be signal handlers, never wait and never retry: they get the words of the owner that they ask for, or nothing.

use crate::sync::{AtomicU64, Ordering::*, const_unless_loom, fence};

/// The number in a place that is being written.
const WRITING: u64 = u64::MAX;
/// Bit in the number of a place whose owner can still be read, but that a writer has claimed.
const CLAIMED: u64 = 1 << 63;

/// The place. All zeros are valid: a place that was never used. Numbers of owners are below 2^63, and not 0.
#[derive(Debug)]
pub struct NumberedWords<const WORDS: usize> {
    number: AtomicU64,
    words: [AtomicU64; WORDS],
}

impl<const WORDS: usize> NumberedWords<WORDS> {
    const_unless_loom! {
        /// A place that was never used.
        pub unused => Self { number: AtomicU64::new(0), words: zeros() }
    }

    /// The owner's number, as [`claim`](Self::claim) takes it; 0 if the place was never used. Async-signal-safe.
    #[inline]
    pub fn number(&self) -> u64 {
        self.number.load(Relaxed)
    }

    /// True if that is the owner. Async-signal-safe.
    #[inline]
    pub fn has(&self, number: u64) -> bool {
        // Acquire: pairs with the last store in `write`, which publishes the owner's words, and with that in `withdraw`.
        self.number.load(Acquire) & !CLAIMED == number
    }

    /// Becomes the only writer of the place, if it has that owner (0: none yet). False also if another writer has claimed it.
    pub fn claim(&self, number: u64) -> bool {
        // Acquire: pairs with the last store in `write`, of the writer before.
        number & CLAIMED == 0 && self.number.compare_exchange(number, number | CLAIMED, Acquire, Relaxed).is_ok()
    }

    /// Withdraws the owner from a place that the caller has claimed. What was [`set`](Self::set) for it before is visible
    /// to the caller from now on; `set` refuses what comes later.
    pub fn withdraw(&self) {
        // Release: pairs with the load in `has`: a thread that does not find the owner here sees what the caller did before.
        self.number.store(WRITING, Release);
        // SeqCst: with the fence in `set` (store buffering).
        fence(SeqCst);
    }

    /// The words of a place that the caller has claimed.
    pub fn words(&self) -> &[AtomicU64; WORDS] {
        &self.words
    }

    /// Gives the place, which the caller has claimed, to another owner, whose words `write` stores.
    #[inline]
    pub fn write(&self, number: u64, write: impl FnOnce(&[AtomicU64; WORDS])) {
        self.number.store(WRITING, Relaxed);
        // Release: pairs with the fence in `read`: a thread that reads a later word sees this number.
        fence(Release);
        write(&self.words);
        // Release: pairs with the loads in `has`; publishes the words.
        self.number.store(number, Release);
    }

    /// Result of `read` on the owner's words; `None` if it is not the owner. Async-signal-safe if `read` is.
    #[inline]
    pub fn read<T>(&self, number: u64, read: impl FnOnce(&[AtomicU64; WORDS]) -> T) -> Option<T> {
        if number == 0 || !self.has(number) {
            return None;
        }
        let read = read(&self.words);
        // Acquire: pairs with the fence in `write`: if another owner's words were read, the load below sees its number, or
        // `WRITING`.
        fence(Acquire);
        (self.number.load(Relaxed) & !CLAIMED == number).then_some(read)
    }

    /// Stores a value in a word of the owner. False if it is not the owner, or was [withdrawn](Self::withdraw) meanwhile.
    pub fn set(&self, number: u64, word: usize, value: u64) -> bool {
        if !self.has(number) {
            return false;
        }
        self.words.get(word).into_iter().for_each(|word| word.store(value, Relaxed));
        // SeqCst: with the fence in `withdraw` (store buffering): the load sees the owner go, or that thread sees the value.
        fence(SeqCst);
        self.has(number)
    }
}

#[cfg(not(loom))]
const fn zeros<const WORDS: usize>() -> [AtomicU64; WORDS] {
    [const { AtomicU64::new(0) }; WORDS]
}

#[cfg(loom)]
fn zeros<const WORDS: usize>() -> [AtomicU64; WORDS] {
    std::array::from_fn(|_| AtomicU64::new(0))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn write(place: &NumberedWords<2>, number: u64) {
        place.write(number, |words| words.iter().for_each(|word| word.store(number, Relaxed)));
    }

    fn first(words: &[AtomicU64; 2]) -> u64 {
        words[0].load(Relaxed)
    }

    #[test]
    fn a_place_has_one_owner_and_one_writer() {
        let place = NumberedWords::<2>::unused();
        assert_eq!((place.number(), place.read(0, first), place.read(7, first)), (0, None, None));
        assert!(place.claim(0) && !place.claim(0));
        assert_eq!((place.read(0, first), place.read(WRITING, first), place.claim(WRITING)), (None, None, false));
        write(&place, 7);
        assert_eq!((place.read(7, first), place.set(7, 0, 70), place.read(7, first)), (Some(7), true, Some(70)));
        assert!(place.claim(7) && !place.claim(7) && place.has(7));
        assert_eq!((place.read(7, first), place.number() == 7), (Some(70), false));
        place.withdraw();
        assert_eq!((place.read(7, first), place.set(7, 0, 71)), (None, false));
        write(&place, 8);
        assert_eq!((place.read(7, first), place.read(8, first), place.set(7, 0, 1)), (None, Some(8), false));
    }
}

/// `RUSTFLAGS="--cfg loom" cargo test -p ora-system --lib --release`
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    const OLD: u64 = 1;
    const NEW: u64 = 2;
    const VALUE: u64 = 77;

    fn write<const WORDS: usize>(place: &NumberedWords<WORDS>, number: u64) {
        place.write(number, |words| words.iter().for_each(|word| word.store(number, Relaxed)));
    }

    fn owned<const WORDS: usize>() -> Arc<NumberedWords<WORDS>> {
        let place = Arc::new(NumberedWords::unused());
        assert!(place.claim(0));
        write(&place, OLD);
        place
    }

    fn both(place: &NumberedWords<2>, number: u64) -> Option<(u64, u64)> {
        place.read(number, |[one, other]| (one.load(Relaxed), other.load(Relaxed)))
    }

    #[test]
    fn a_reader_gets_the_words_of_its_owner_or_nothing() {
        loom::model(|| {
            let place = owned();
            let reader = {
                let place = place.clone();
                thread::spawn(move || {
                    assert!([Some((OLD, OLD)), None].contains(&both(&place, OLD)));
                    assert!([Some((NEW, NEW)), None].contains(&both(&place, NEW)));
                })
            };
            assert!(place.claim(OLD));
            write(&place, NEW);
            reader.join().unwrap();
        });
    }

    #[test]
    fn of_two_writers_one_claims_the_place() {
        loom::model(|| {
            let place = owned::<2>();
            let other = {
                let place = place.clone();
                thread::spawn(move || place.claim(OLD) && (write(&place, NEW), true).1)
            };
            let is_mine = place.claim(OLD);
            if is_mine {
                write(&place, NEW + 1);
            }
            assert!(is_mine != other.join().unwrap());
            let owner = NEW + u64::from(is_mine);
            assert_eq!(both(&place, owner), Some((owner, owner)));
        });
    }

    /// An owner moves to another place while a value is set for it.
    #[test]
    fn a_value_that_is_set_during_a_move_arrives() {
        loom::model(|| {
            let (from, to) = (owned::<1>(), Arc::new(NumberedWords::<1>::unused()));
            let setter = {
                let (from, to) = (from.clone(), to.clone());
                thread::spawn(move || assert!(from.set(OLD, 0, VALUE) || to.set(OLD, 0, VALUE)))
            };
            assert!(from.claim(OLD) && to.claim(0));
            let value = from.read(OLD, |[word]| word.load(Relaxed)).unwrap();
            to.write(OLD, |[word]| word.store(value, Relaxed));
            from.withdraw();
            let [word] = from.words();
            if word.load(Relaxed) == VALUE {
                assert!(to.set(OLD, 0, VALUE));
            }
            setter.join().unwrap();
            assert_eq!(to.read(OLD, |[word]| word.load(Relaxed)), Some(VALUE));
        });
    }
}
