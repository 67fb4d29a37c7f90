//! Gate between fork(2) and walks of the dynamic linker's list of objects: a process forks only while none of its threads walks.
//!
//! `dl_iterate_phdr` takes a lock of the linker (`_dl_load_write_lock`), and glibc's fork copies that lock into the child as it is. If
//! another thread held it, the child's next walk would wait for ever.

use crate::sync::{AtomicBool, AtomicUsize, Ordering::*, const_unless_loom, fence, yield_now};

/// Attempts after which either side proceeds anyway. The other side may be waiting for this thread: a signal handler
/// that interrupts a walk may fork.
const ATTEMPTS: u32 = 1 << 20;

/// Number of threads that walk, and a flag that is set while a thread forks.
#[derive(Debug)]
pub struct ForkGate {
    walks: AtomicUsize,
    forks: AtomicBool,
}

impl ForkGate {
    const_unless_loom! {
        /// Nobody walks, and nobody forks.
        pub idle => Self { walks: AtomicUsize::new(0), forks: AtomicBool::new(false) }
    }

    /// Begins a walk. Waits while another thread forks.
    pub fn enter(&self) {
        let mut attempts = 0..ATTEMPTS;
        while !self.try_enter() {
            if attempts.is_empty() {
                self.walks.fetch_add(1, Relaxed);
                return;
            }
            while self.forks.load(Relaxed) && attempts.next().is_some() {
                yield_now();
            }
        }
    }

    /// Begins a walk; false if another thread forks.
    fn try_enter(&self) -> bool {
        self.walks.fetch_add(1, Relaxed);
        // SeqCst: pairs with the fence in `close` (store buffering: one of the two threads sees the other's store).
        fence(SeqCst);
        // Acquire: pairs with the store in `open`.
        if !self.forks.load(Acquire) {
            return true;
        }
        self.leave();
        false
    }

    /// Ends a walk.
    pub fn leave(&self) {
        // Release: pairs with the load in `close`; the linker's lock is free before. If `renew` came in between,
        // nothing is left to subtract.
        let _ = self.walks.fetch_update(Release, Relaxed, |walks| walks.checked_sub(1));
    }

    /// Begins a fork: waits for the walks of other threads, and blocks new ones.
    pub fn close(&self) {
        self.forks.store(true, Relaxed);
        // SeqCst: pairs with the fence in `enter`.
        fence(SeqCst);
        for _ in 0..ATTEMPTS {
            // Acquire: pairs with `leave`.
            if self.walks.load(Acquire) == 0 {
                return;
            }
            yield_now();
        }
    }

    /// Ends a fork in the parent.
    pub fn open(&self) {
        // Release: pairs with the load in `enter`. A walk that has waited comes after the fork.
        self.forks.store(false, Release);
    }

    /// Ends a fork in the child, which has one thread.
    pub fn renew(&self) {
        self.walks.store(0, Relaxed);
        self.forks.store(false, Relaxed);
    }
}

/// `RUSTFLAGS="--cfg loom" cargo test -p ora-system --release`
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    #[test]
    fn no_walk_is_under_way_while_the_gate_is_closed() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            // The cell represents the linker's lock.
            let both = Arc::new((ForkGate::idle(), UnsafeCell::new(0)));
            let walks = {
                let both = both.clone();
                thread::spawn(move || {
                    both.0.enter();
                    both.1.with_mut(|_| ());
                    both.0.leave();
                })
            };
            both.0.close();
            both.1.with(|_| ());
            both.0.open();
            walks.join().unwrap();
        });
    }
}
