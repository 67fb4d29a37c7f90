//! ThreadSanitizer's vector clocks, at our own addresses.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::fiber;
use crate::sanitizer::{Sanitizer, sanitizer};

/// A vector clock. [`set`](Self::set) forgets its content, so that the clocks of a record can be reused without a
/// false order. The word is 0 until ThreadSanitizer knows the clock.
#[derive(Debug, Default)]
pub(crate) struct Clock(AtomicU64);

impl Clock {
    /// A clock that was never set.
    pub(crate) const fn zero() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Sets the clock to the calling context's.
    pub(crate) fn set(&self) {
        if let Some(sanitizer) = sanitizer() {
            self.make_known(sanitizer);
            sanitizer.replace(&self.0);
        }
    }

    /// Joins the calling context's clock into it (release).
    pub(crate) fn join(&self) {
        if let Some(sanitizer) = sanitizer() {
            self.make_known(sanitizer);
            sanitizer.release(&self.0);
        }
    }

    /// Joins it into the calling context's clock (acquire).
    pub(crate) fn acquire(&self) {
        if let Some(sanitizer) = sanitizer() {
            sanitizer.acquire(&self.0);
        }
    }

    /// Uses the clock for the first time where the call stack is empty: ThreadSanitizer stores the stack of the first use,
    /// whose time and memory grow with its depth.
    #[inline]
    fn make_known(&self, sanitizer: &Sanitizer) {
        let is_unknown = || self.0.load(Relaxed) == 0;
        if is_unknown() {
            // Another thread may have made it known meanwhile, and have joined it.
            fiber::in_root(|| {
                if is_unknown() {
                    sanitizer.replace(&self.0)
                }
            });
        }
    }
}
