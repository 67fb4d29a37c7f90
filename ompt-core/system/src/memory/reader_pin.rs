//! Reader pin of a record's target: the owner's `end` waits until no reader holds the target.

use crate::sync::{AtomicU32, Ordering::*, yield_now};

/// Zero, as in fresh memory: the target exists, and no reader holds it.
const THERE: u32 = 0;
const HELD: u32 = 1;
const OVER: u32 = 2;

/// A pin with one reader at a time (the thread that created the target) and one owner that ends the target.
#[derive(Debug)]
pub struct ReaderPin(AtomicU32);

impl ReaderPin {
    #[cfg(loom)]
    fn new() -> Self {
        Self(AtomicU32::new(THERE))
    }

    /// Prepares the pin for a new target.
    pub fn renew(&self) {
        self.0.store(THERE, Relaxed);
    }

    /// Holds the target until [`give_back`](Self::give_back); false if it has ended.
    #[inline]
    pub fn take(&self) -> bool {
        self.0.compare_exchange(THERE, HELD, Relaxed, Relaxed).is_ok()
    }

    /// Releases the target.
    #[inline(always)]
    pub fn give_back(&self) {
        // Release: pairs with the compare-exchange in `end`. All reads of the target come before its end.
        self.0.store(THERE, Release);
    }

    /// Ends the target: no reader gets it from now on. Waits for a reader that holds it, but not for ever: a tool may
    /// have terminated that thread.
    pub fn end(&self) {
        for _ in 0..1 << 20 {
            // Acquire: pairs with the store in `give_back`.
            match self.0.compare_exchange(THERE, OVER, Acquire, Relaxed) {
                Err(HELD) => yield_now(),
                _ => return,
            }
        }
        self.0.store(OVER, Relaxed);
    }

    /// True after [`end`](Self::end).
    #[inline]
    pub fn is_over(&self) -> bool {
        self.0.load(Relaxed) == OVER
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
    fn what_is_looked_at_is_there() {
        loom::model(|| {
            let both = Arc::new((ReaderPin::new(), UnsafeCell::new(0)));
            let looks = {
                let both = both.clone();
                thread::spawn(move || {
                    if both.0.take() {
                        both.1.with(|_| ());
                        both.0.give_back();
                    }
                })
            };
            both.0.end();
            // The memory belongs to another owner from now on.
            both.1.with_mut(|_| ());
            assert!(both.0.is_over());
            looks.join().unwrap();
        });
    }
}
