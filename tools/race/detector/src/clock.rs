//! Vector clocks of ThreadSanitizer's, at addresses of ours.

use std::sync::atomic::AtomicU64;

use crate::sanitizer::sanitizer;

/// A vector clock. [`set`](Self::set) forgets what it had: a record's clocks are used again without a false order.
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
            sanitizer.replace(&self.0);
        }
    }

    /// Joins the calling context's clock to it (release).
    pub(crate) fn join(&self) {
        if let Some(sanitizer) = sanitizer() {
            sanitizer.release(&self.0);
        }
    }

    /// Joins it to the calling context's clock (acquire).
    pub(crate) fn acquire(&self) {
        if let Some(sanitizer) = sanitizer() {
            sanitizer.acquire(&self.0);
        }
    }
}
