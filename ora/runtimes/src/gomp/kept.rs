//! One-entry cache of a resolved call target, protected by a seqlock: many threads read, and some write meanwhile.

use crate::sync::{AtomicPtr, AtomicU64, AtomicUsize, Ordering::*};
use std::ptr::null_mut;

/// Key of the cache: a call that came through an unbound slot, and the generation of loaded objects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) entry: usize,
    pub(super) return_address: usize,
    /// Generation: counts objects that were loaded or unloaded.
    pub(super) loads: u64,
}

/// The key, and the function that the call goes to. `version` is odd during a write.
pub(super) struct Kept {
    version: AtomicU64,
    loads: AtomicU64,
    entry: AtomicUsize,
    return_address: AtomicUsize,
    answer: AtomicPtr<()>,
}

macro_rules! nothing {
    () => {
        Self {
            version: AtomicU64::new(0),
            loads: AtomicU64::new(0),
            entry: AtomicUsize::new(0),
            return_address: AtomicUsize::new(0),
            answer: AtomicPtr::new(null_mut()),
        }
    };
}

impl Kept {
    /// An empty cache.
    #[cfg(not(loom))]
    pub(super) const fn nothing() -> Self {
        nothing!()
    }

    #[cfg(loom)]
    fn nothing() -> Self {
        nothing!()
    }

    /// The cached function, if its key is this one.
    pub(super) fn answer(&self, question: Question) -> Option<*mut ()> {
        // Read of a seqlock. Acquire: each load pairs with the Release store of the same field in `keep`. A reader that sees a
        // field of another answer also sees the odd version that precedes it, in the second load of `version`. The first one
        // pairs with the last store in `keep`, which publishes all fields.
        let version = self.version.load(Acquire);
        let same = self.loads.load(Acquire) == question.loads
            && self.entry.load(Acquire) == question.entry
            && self.return_address.load(Acquire) == question.return_address;
        let answer = self.answer.load(Acquire);
        let whole = version & 1 == 0 && self.version.load(Acquire) == version;
        (same && whole && !answer.is_null()).then_some(answer)
    }

    /// Stores an answer, unless another thread is writing.
    pub(super) fn keep(&self, question: Question, answer: *mut ()) {
        let version = self.version.load(Relaxed);
        // Acquire: pairs with the last store below, of the previous writer: its fields precede these. The odd version itself is
        // published by the stores of the fields.
        if version & 1 != 0 || self.version.compare_exchange(version, version + 1, AcqRel, Relaxed).is_err() {
            return;
        }
        // Release: each pairs with the load of the same field in `answer`; publishes the odd version.
        self.loads.store(question.loads, Release);
        self.entry.store(question.entry, Release);
        self.return_address.store(question.return_address, Release);
        self.answer.store(answer, Release);
        // Release: pairs with the first load of `version` in `answer`, and the compare-exchange above; publishes the fields.
        self.version.store(version + 2, Release);
    }
}

/// `RUSTFLAGS="--cfg loom" cargo test -p runtimes --lib --release`
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    fn question(number: usize) -> Question {
        Question { entry: number, return_address: 0x100 * number, loads: 1 }
    }

    fn right(number: usize) -> *mut () {
        std::ptr::without_provenance_mut(0x1000 * number)
    }

    fn ask(kept: &Kept, number: usize) {
        let answer = kept.answer(question(number));
        assert!(answer.is_none_or(|answer| answer == right(number)));
    }

    #[test]
    fn an_answer_is_its_own_questions_while_another_one_is_kept() {
        for late in [false, true] {
            // Without a bound it takes half a minute.
            let mut model = loom::model::Builder::new();
            model.preemption_bound = Some(3);
            model.check(move || {
                let kept = Arc::new(Kept::nothing());
                kept.keep(question(1), right(1));
                let other = {
                    let kept = kept.clone();
                    thread::spawn(move || if late { ask(&kept, 1) } else { kept.keep(question(2), right(2)) })
                };
                if late {
                    kept.keep(question(2), right(2));
                } else {
                    ask(&kept, 1);
                    ask(&kept, 2);
                }
                other.join().unwrap();
                assert_eq!((kept.answer(question(1)), kept.answer(question(2))), (None, Some(right(2))));
            });
        }
    }

    #[test]
    fn two_that_keep_answers_at_once_mix_nothing() {
        loom::model(|| {
            let kept = Arc::new(Kept::nothing());
            let other = {
                let kept = kept.clone();
                thread::spawn(move || kept.keep(question(2), right(2)))
            };
            kept.keep(question(1), right(1));
            other.join().unwrap();
            ask(&kept, 1);
            ask(&kept, 2);
        });
    }
}
