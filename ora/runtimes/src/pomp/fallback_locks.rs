//! Lock routines for a program all of whose calls of them come to us, and whose runtime has none that can be found: nothing else in the
//! program refers to them then. They really lock.
//!
//! A lock is a word of the program: 0 when it is free, 1 when it is taken, and -1 when other threads may wait for it, as in libgomp. A
//! nestable lock consists of its owner's number and its nesting count.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::*};
use system::futex::{sleep, wake};

/// A nestable lock.
#[repr(C)]
pub(super) struct NestLock {
    owner: AtomicI32,
    count: AtomicU32,
}

const FREE: i32 = 0;
const TAKEN: i32 = 1;
const CONTENDED: i32 = -1;

/// Runs `work`, and preserves errno.
fn quietly(work: impl FnOnce()) {
    let errno = system::errno::Errno::save();
    work();
    errno.restore();
}

pub(super) extern "C-unwind" fn init(lock: &AtomicI32) {
    // Release: pairs with the compare-exchange in `test` and the swap in `set`. It publishes nothing of ours: the program has to ensure
    // that a lock is initialised before it is used.
    lock.store(FREE, Release);
}

pub(super) extern "C-unwind" fn destroy(_: &AtomicI32) {}

pub(super) extern "C-unwind" fn test(lock: &AtomicI32) -> i32 {
    // Acquire: pairs with the swap in `unset`, which publishes what the last owner wrote.
    i32::from(lock.compare_exchange(FREE, TAKEN, Acquire, Relaxed).is_ok())
}

pub(super) extern "C-unwind" fn set(lock: &AtomicI32) {
    if test(lock) != 0 {
        return;
    }
    quietly(|| {
        // A thread that has waited can't know whether others still wait. Acquire: pairs with the swap in `unset`.
        while lock.swap(CONTENDED, Acquire) != FREE {
            sleep(lock, CONTENDED);
        }
    });
}

pub(super) extern "C-unwind" fn unset(lock: &AtomicI32) {
    // Release: publishes the owner's writes; pairs with the compare-exchange in `test` and the swap in `set`.
    if lock.swap(FREE, Release) == CONTENDED {
        quietly(|| wake(lock));
    }
}

pub(super) extern "C-unwind" fn init_nest(lock: &NestLock) {
    lock.count.store(0, Relaxed);
    // Release: publishes `count`; pairs with the compare-exchange in `test_nest`.
    lock.owner.store(FREE, Release);
}

pub(super) extern "C-unwind" fn destroy_nest(_: &NestLock) {}

pub(super) extern "C-unwind" fn test_nest(lock: &NestLock) -> u32 {
    let me = system::threads::id().cast_signed();
    // Acquire: pairs with the store of `owner` in `unset_nest`, which publishes what the last owner wrote.
    match lock.owner.compare_exchange(FREE, me, Acquire, Relaxed) {
        Ok(_) => lock.count.store(1, Relaxed),
        Err(owner) if owner == me => _ = lock.count.fetch_add(1, Relaxed),
        Err(_) => return 0,
    }
    lock.count.load(Relaxed)
}

pub(super) extern "C-unwind" fn set_nest(lock: &NestLock) {
    while test_nest(lock) == 0 {
        let owner = lock.owner.load(Relaxed);
        if owner != FREE {
            quietly(|| sleep(&lock.owner, owner));
        }
    }
}

pub(super) extern "C-unwind" fn unset_nest(lock: &NestLock) {
    if lock.count.fetch_sub(1, Relaxed) == 1 {
        // Release: publishes the owner's writes; pairs with the compare-exchange in `test_nest`.
        lock.owner.store(FREE, Release);
        quietly(|| wake(&lock.owner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// Increments on several threads: the total is right only under a lock.
    fn add(with: impl Fn(&dyn Fn()) + Sync) -> u32 {
        let sum = AtomicU32::new(0);
        let add_one = || {
            let before = sum.load(Relaxed);
            std::hint::spin_loop();
            sum.store(before + 1, Relaxed);
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..20_000).for_each(|_| with(&add_one)));
            }
        });
        sum.load(Relaxed)
    }

    #[test]
    fn a_lock_lets_one_thread_in_at_a_time() {
        let lock = AtomicI32::new(7);
        init(&lock);
        let sum = add(|work| {
            set(&lock);
            work();
            unset(&lock);
        });
        assert_eq!((sum, lock.load(Relaxed)), (80_000, FREE));
    }

    #[test]
    fn a_nestable_lock_is_set_again_by_whoever_has_it_and_by_nobody_else() {
        let lock = NestLock { owner: AtomicI32::new(7), count: AtomicU32::new(7) };
        init_nest(&lock);
        let sum = add(|work| {
            set_nest(&lock);
            set_nest(&lock);
            unset_nest(&lock);
            work();
            unset_nest(&lock);
        });
        assert_eq!(sum, 80_000);
        assert_eq!((test_nest(&lock), test_nest(&lock)), (1, 2));
        assert_eq!(thread::scope(|scope| scope.spawn(|| test_nest(&lock)).join().unwrap()), 0);
    }

    #[test]
    fn a_lock_that_is_tested_is_taken_once() {
        let lock = AtomicI32::new(0);
        assert_eq!((test(&lock), test(&lock)), (1, 0));
        unset(&lock);
        assert_eq!(test(&lock), 1);
    }
}
