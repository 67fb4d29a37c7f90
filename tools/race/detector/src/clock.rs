//! ThreadSanitizer's vector clocks, at our own addresses.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::sanitizer::{Sanitizer, sanitizer};
use crate::{call_stack, fiber};

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

    /// Uses the clock for the first time in a context without a call stack, if that of the calling one is deep:
    /// ThreadSanitizer stores the stack of the first use, whose time and memory grow with its depth.
    #[inline]
    fn make_known(&self, sanitizer: &Sanitizer) {
        if self.0.load(Relaxed) == 0 {
            if call_stack::is_deep(sanitizer) {
                fiber::in_root(|sanitizer| sanitizer.release(&self.0));
            }
            self.0.store(1, Relaxed);
        }
    }
}
