//! Whether what a record points to may be looked at: it is there until its end, and as long as somebody looks at it the end
//! waits.

use crate::sync::{AtomicU32, Ordering::*, yield_now};

/// Zero, as in fresh memory: it is there, and nobody looks at it.
const THERE: u32 = 0;
const HELD: u32 = 1;
const OVER: u32 = 2;

/// One thread looks, the one that made what stands behind it, and one ends it.
#[derive(Debug)]
pub(crate) struct Hold(AtomicU32);

impl Hold {
    #[cfg(loom)]
    fn new() -> Self {
        Self(AtomicU32::new(THERE))
    }

    /// What stands behind it is there, and nobody looks at it.
    pub(crate) fn renew(&self) {
        self.0.store(THERE, Relaxed);
    }

    /// Whether it is there: then until [`give_back`](Self::give_back).
    #[inline]
    pub(crate) fn take(&self) -> bool {
        self.0.compare_exchange(THERE, HELD, Relaxed, Relaxed).is_ok()
    }

    /// Nobody looks at it any more.
    #[inline(always)]
    pub(crate) fn give_back(&self) {
        // Release: pairs with the end's compare-exchange. What was read before, was read before the end.
        self.0.store(THERE, Release);
    }

    /// It is over: from now on nobody looks. Waits for who does, but not for ever: a tool may have ended that thread.
    pub(crate) fn end(&self) {
        for _ in 0..1 << 20 {
            // Acquire: pairs with the store of who has looked.
            match self.0.compare_exchange(THERE, OVER, Acquire, Relaxed) {
                Err(HELD) => yield_now(),
                _ => return,
            }
        }
        self.0.store(OVER, Relaxed);
    }

    /// Whether it is over.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.0.load(Relaxed) == OVER
    }
}

/// `RUSTFLAGS="--cfg loom" cargo test -p ompt-core --release`
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    #[test]
    fn what_is_looked_at_is_there() {
        loom::model(|| {
            let both = Arc::new((Hold::new(), UnsafeCell::new(0)));
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
            // The memory is another's from now on.
            both.1.with_mut(|_| ());
            assert!(both.0.is_over());
            looks.join().unwrap();
        });
    }
}
