//! One-entry cache of a resolved call target, protected by a seqlock: many threads read, and some write meanwhile.

use crate::sync::{AtomicPtr, AtomicU64, AtomicUsize, Ordering::*};
use std::ptr::null_mut;

/// Key of the cache: a call that came through an unbound slot, and the generation of loaded objects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct TargetKey {
    pub(super) entry: usize,
    pub(super) return_address: usize,
    /// Generation: the number of times that objects were loaded or unloaded.
    pub(super) loads: u64,
}

/// The key, and the function that the call goes to. `version` is odd during a write.
pub(super) struct TargetCache {
    version: AtomicU64,
    loads: AtomicU64,
    entry: AtomicUsize,
    return_address: AtomicUsize,
    target: AtomicPtr<()>,
}

macro_rules! empty {
    () => {
        Self {
            version: AtomicU64::new(0),
            loads: AtomicU64::new(0),
            entry: AtomicUsize::new(0),
            return_address: AtomicUsize::new(0),
            target: AtomicPtr::new(null_mut()),
        }
    };
}

impl TargetCache {
    /// An empty cache.
    #[cfg(not(loom))]
    pub(super) const fn empty() -> Self {
        empty!()
    }

    #[cfg(loom)]
    fn empty() -> Self {
        empty!()
    }

    /// The cached function, if its key is this one.
    pub(super) fn get(&self, key: TargetKey) -> Option<*mut ()> {
        // Read of a seqlock. Acquire: each load pairs with the Release store of the same field in `put`. A reader that sees a
        // field of another target also sees the odd version that precedes it, in the second load of `version`. The first one
        // pairs with the last store in `put`, which publishes all fields.
        let version = self.version.load(Acquire);
        let same = self.loads.load(Acquire) == key.loads
            && self.entry.load(Acquire) == key.entry
            && self.return_address.load(Acquire) == key.return_address;
        let target = self.target.load(Acquire);
        let whole = version & 1 == 0 && self.version.load(Acquire) == version;
        (same && whole && !target.is_null()).then_some(target)
    }

    /// Stores a target, unless another thread is writing.
    pub(super) fn put(&self, key: TargetKey, target: *mut ()) {
        let version = self.version.load(Relaxed);
        // Acquire: pairs with the last store below, by the previous writer: its fields precede these. The odd version itself is published
        // by the stores of the fields.
        if version & 1 != 0 || self.version.compare_exchange(version, version + 1, AcqRel, Relaxed).is_err() {
            return;
        }
        // Release: each pairs with the load of the same field in `get`; publishes the odd version.
        self.loads.store(key.loads, Release);
        self.entry.store(key.entry, Release);
        self.return_address.store(key.return_address, Release);
        self.target.store(target, Release);
        // Release: pairs with the first load of `version` in `get`, and the compare-exchange above; publishes the fields.
        self.version.store(version + 2, Release);
    }
}

/// `RUSTFLAGS="--cfg loom" cargo test -p ora-runtimes --lib --release`
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    fn key(number: usize) -> TargetKey {
        TargetKey { entry: number, return_address: 0x100 * number, loads: 1 }
    }

    fn right(number: usize) -> *mut () {
        std::ptr::without_provenance_mut(0x1000 * number)
    }

    fn ask(cache: &TargetCache, number: usize) {
        let target = cache.get(key(number));
        assert!(target.is_none_or(|target| target == right(number)));
    }

    #[test]
    fn an_answer_is_its_own_questions_while_another_one_is_kept() {
        for late in [false, true] {
            // Without a bound it takes half a minute.
            let mut model = loom::model::Builder::new();
            model.preemption_bound = Some(3);
            model.check(move || {
                let cache = Arc::new(TargetCache::empty());
                cache.put(key(1), right(1));
                let other = {
                    let cache = cache.clone();
                    thread::spawn(move || if late { ask(&cache, 1) } else { cache.put(key(2), right(2)) })
                };
                if late {
                    cache.put(key(2), right(2));
                } else {
                    ask(&cache, 1);
                    ask(&cache, 2);
                }
                other.join().unwrap();
                assert_eq!((cache.get(key(1)), cache.get(key(2))), (None, Some(right(2))));
            });
        }
    }

    #[test]
    fn two_that_keep_answers_at_once_mix_nothing() {
        loom::model(|| {
            let cache = Arc::new(TargetCache::empty());
            let other = {
                let cache = cache.clone();
                thread::spawn(move || cache.put(key(2), right(2)))
            };
            cache.put(key(1), right(1));
            other.join().unwrap();
            ask(&cache, 1);
            ask(&cache, 2);
        });
    }
}
